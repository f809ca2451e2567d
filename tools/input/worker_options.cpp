#include "tools/input/worker_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "tilewright/error.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/paths.hpp"

namespace tilewright::tools {

namespace {

// Says so if nothing can be kept there. The folder may not exist yet.
void warn_of_cache(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(folder, error);
  while (!std::filesystem::exists(there, error) && there.has_relative_path())
    there = there.parent_path();
  if (!std::filesystem::is_directory(there, error))
    warn(fmt::format("compiled code is not kept: cache '{}': '{}' is not a folder", folder.string(),
                     there.string()));
  else if (::access(there.c_str(), W_OK) != 0)
    warn(fmt::format("compiled code is not kept: cache '{}': '{}' cannot be written",
                     folder.string(), there.string()));
}

}  // namespace

Toolchain toolchain() {
  std::error_code error;  // ignored: only the host's compiler needs this folder
  return {host_compiler(), toolkit_folders(), std::filesystem::temp_directory_path(error),
          program_on_path("nvcc")};
}

Device planned_device(const std::string& architecture) {
  return backend_of(DeviceKind::cuda).planned_device(architecture, toolchain());
}

Device device_to_plan_for(const Arguments& arguments) {
  const auto architecture = arguments.text("arch");
  if (const DeviceList list = architecture ? DeviceList{} : gpus_present(); !list.devices.empty())
    return list.devices.front().device;
  return planned_device(architecture.value_or("sm_90"));
}

int jobs_of(const Arguments& arguments) {
  return static_cast<int>(arguments.number("jobs", {.least = 1, .most = 1024}).value_or(0));
}

WorkerOptions worker_options(const Arguments& arguments) {
  WorkerOptions options;
  options.compile.processes = jobs_of(arguments);
  options.toolchain = toolchain();
  options.compile.worker = worker_program();
  options.cache = cache_folder(arguments);
  warn_of_cache(options.cache);
  if (const auto limit = arguments.milliseconds("compile-limit"))
    options.compile.time_limit = *limit;
  if (const auto limit = arguments.bytes("compile-memory"))
    options.compile.memory_limit_bytes = *limit;
  options.load_limit = arguments.milliseconds("load-limit");
  options.verify_limit = arguments.milliseconds("verify-limit");
  options.sample_limit = arguments.milliseconds("sample-limit");
  return options;
}

std::vector<OptionSpec> limit_options() {
  return {{"load-limit", "TIME",
           "Time limit of loading a kernel, such as 0.5s or 1m. By default this limit, "
           "--verify-limit and "
           "--sample-limit follow the times that such steps have taken."},
          {"verify-limit", "TIME", "Time limit of checking the answers of a kernel, such as 1.5s."},
          {"sample-limit", "TIME", "Time limit of timing a kernel, such as 1.5s."},
          kCompileLimitOption,
          kCompileMemoryOption};
}

void check_limits(const Arguments& arguments) {
  for (const OptionSpec& option : limit_options())
    if (option.value == "TIME") arguments.seconds(option.name);
  arguments.bytes("compile-memory");
}

std::function<void(const std::string&)> when_claimed(const Arguments& arguments) {
  return [is_refused = arguments.has("no-wait")](const std::string& sentence) {
    if (is_refused) throw MachineError(sentence);
    std::cerr << sentence << "; waiting (--no-wait fails instead)" << std::endl;
  };
}

}  // namespace tilewright::tools
