#include "tuner/host/backend.hpp"

#include <cstring>

#include "definition/architecture.hpp"
#include "tilewright/error.hpp"
#include "tuner/host/compile/compiler.hpp"
#include "tuner/host/launch/executable.hpp"
#include "tuner/host/session/device.hpp"
#include "tuner/host/session/session.hpp"

namespace tilewright::host {
namespace {

class HostBackend final : public Backend {
 public:
  DeviceList devices() const override { return {{device_report()}, ""}; }

  std::unique_ptr<Compiler> make_compiler(const Toolchain& toolchain) const override {
    if (toolchain.scratch.empty())
      throw MachineError("there is no folder for temporary files; set TMPDIR to one");
    return std::make_unique<HostCompiler>(
        CompilerOptions{toolchain.host_compiler, toolchain.scratch});
  }

  std::unique_ptr<Evaluator> make_session() const override { return host::make_session(); }

  std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan) const override {
    return host::make_executable(plan);
  }

  BackendFacts facts(const Device&) const override { return backend_facts(); }

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

const Backend& backend() {
  static const HostBackend the_one;
  return the_one;
}

}  // namespace tilewright::host
