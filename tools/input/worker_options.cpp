#include "tools/input/worker_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "tools/input/lookup.hpp"

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

std::string library_here(const std::string& routine) {
  return library_version(routine, toolchain());
}

Device planned_device(const std::string& architecture) {
  return backend_of(DeviceKind::cuda).planned_device(architecture, toolchain());
}

Device device_to_plan_for(const std::string& architecture) {
  if (const DeviceList list = architecture.empty() ? gpus_present() : DeviceList{};
      !list.devices.empty())
    return list.devices.front().device;
  return planned_device(architecture.empty() ? "sm_90" : architecture);
}

void Measuring::declare_jobs(Options& all) {
  all.number(workers.compile.processes, {.least = 1, .most = 1024},
             {"jobs", "N", "Number of compile processes; by default one for each core."});
}

void Measuring::declare_compile_limits(Options& all) {
  all.value(workers.compile.time_limit, option::milliseconds,
            {"compile-limit", "TIME",
             "Limit of the processor time of one compile, such as 90s or 1.5m; 60s by default. "
             "In all, it may take 10 times as long."});
  all.value(workers.compile.memory_limit_bytes, option::bytes,
            {"compile-memory", "BYTES",
             "Memory limit of one compile process; 8G by default, 0 means no limit."});
}

void Measuring::declare_limits(Options& all) {
  all.value(workers.load_limit, option::milliseconds,
            {"load-limit", "TIME",
             "Time limit of loading a kernel, such as 0.5s or 1m. By default this limit, "
             "--verify-limit and --sample-limit follow the times that such steps have taken."});
  all.value(
      workers.verify_limit, option::milliseconds,
      {"verify-limit", "TIME", "Time limit of checking the answers of a kernel, such as 1.5s."});
  all.value(workers.sample_limit, option::milliseconds,
            {"sample-limit", "TIME", "Time limit of timing a kernel, such as 1.5s."});
  declare_compile_limits(all);
}

void Measuring::declare_no_wait(Options& all) {
  all.flag(
      may_wait, false,
      {"no-wait", "", "Fail instead of waiting while another process measures on the device."});
}

WorkerOptions worker_options(const Measuring& given) {
  WorkerOptions options = given.workers;
  options.toolchain = toolchain();
  options.compile.worker = worker_program();
  options.cache = cache_folder(given.places);
  warn_of_cache(options.cache);
  return options;
}

std::function<void(const std::string&)> when_claimed(const Measuring& given) {
  return [may_wait = given.may_wait](const std::string& sentence) {
    if (!may_wait) throw MachineError(sentence);
    std::cerr << sentence << "; waiting (--no-wait fails instead)" << std::endl;
  };
}

DeviceClaim claim(const Measuring& given, const DeviceReport& device,
                  const std::atomic<bool>& stop) {
  DeviceClaim claimed = claim_device(lock_folder(), device, stop, when_claimed(given));
  if (!claimed.remark.empty()) warn(claimed.remark);
  return claimed;
}

}  // namespace tilewright::tools
