#include "tuner/host/backend.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "definition/architecture.hpp"
#include "tilewright/error.hpp"
#include "tuner/host/compile/compiler.hpp"
#include "tuner/host/launch/launcher.hpp"
#include "tuner/host/session/session.hpp"

namespace tilewright::host {
namespace {

constexpr std::int64_t kSharedBytes = 232448;  // as on an H100

// The name that the Linux kernel gives. On ARM it gives none; then the instruction set is named.
std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && line.starts_with("model name"))
      return single_spaced(line.substr(colon + 1));
  }
  utsname names{};
  return uname(&names) == 0 ? std::string(names.machine) + " CPU" : "CPU";
}

class HostBackend final : public Backend {
 public:
  DeviceList devices() const override { return {{device_report()}, ""}; }

  std::unique_ptr<Compiler> make_compiler(const Toolchain& toolchain) const override {
    if (toolchain.scratch.empty())
      throw MachineError("there is no folder for temporary files; set TMPDIR to one");
    return std::make_unique<HostCompiler>(toolchain.host_compiler, toolchain.scratch);
  }

  std::unique_ptr<Evaluator> make_session(const Toolchain&) const override {
    return host::make_session();
  }
  std::unique_ptr<Evaluator> make_session_of(Callable& callable) const override {
    return host::make_session(&callable);
  }

  std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan) const override {
    return host::make_executable(plan);
  }

  // No probe and no occupancy.
  BackendFacts facts(const Device&) const override {
    return {.architecture = kHostArchitecture, .probe = {}, .add_occupancy = {}};
  }

  std::unique_ptr<MachineMonitor> make_monitor(const DeviceReport&) const override {
    return std::make_unique<BlindMonitor>("clock and throttling of a CPU are not read");
  }

  Device planned_device(const std::string& architecture, const Toolchain&) const override {
    if (architecture != kHostArchitecture)
      throw InputError("architecture '" + architecture + "': the host device has only 'host'");
    return device_report().device;
  }

  void read_memory(const void* memory, std::span<std::uint8_t> copy,
                   const std::string&) const override {
    std::memcpy(copy.data(), memory, copy.size());
  }
};

}  // namespace

DeviceReport device_report() {
  DeviceReport report;
  report.id = "host";
  Device& device = report.device;
  device.kind = DeviceKind::host;
  device.name = cpu_name();
  device.sm_count = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  device.shared_bytes_per_block = kSharedBytes;
  device.shared_bytes_per_sm = kSharedBytes;
  device.max_threads_per_sm = device.max_threads_per_block;
  device.max_blocks_per_sm = 1;
  const auto pages = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES));
  report.memory_bytes = pages * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
  return report;
}

const Backend& backend() {
  static const auto& the_one = *new const HostBackend;
  return the_one;
}

}  // namespace tilewright::host
