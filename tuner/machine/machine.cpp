// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/machine/machine.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "tilewright/error.hpp"
#include "tilewright/version.hpp"
#include "tuner/host/compile/compiler.hpp"
#include "tuner/host/session/device.hpp"
#include "tuner/machine/files.hpp"
#ifdef TILEWRIGHT_HAS_CUDA
#include "tuner/cuda/compile/architectures.hpp"
#include "tuner/cuda/compile/nvrtc.hpp"
#include "tuner/cuda/device/devices.hpp"
#include "tuner/cuda/device/monitor.hpp"
#include "tuner/cuda/session/facts.hpp"
#endif

namespace tilewright {
namespace {

// The N of "cuda:N".
std::optional<int> device_index(const std::string& name) {
  if (name == "cuda") return 0;
  constexpr std::string_view prefix = "cuda:";
  if (!name.starts_with(prefix)) return std::nullopt;
  int index = -1;
  const char* const end = name.data() + name.size();
  const auto [last, error] = std::from_chars(name.data() + prefix.size(), end, index);
  if (error != std::errc{} || last != end || index < 0) return std::nullopt;
  return index;
}

constexpr int kHostSlower = 3;  // it verifies in three orders

constexpr const char* kWithoutGpu =
    "--device host measures on this machine's CPU, and `tilewright plan` shows what a sweep on a "
    "GPU would try";

constexpr const char* kHostIsUnseen = "clock and throttling of a CPU are not read";

#ifdef TILEWRIGHT_HAS_CUDA
std::string nvrtc_version(const Toolchain& toolchain) {
  return cuda::Nvrtc(toolchain.toolkit_folders).version();
}
#else
constexpr const char* kNotBuilt =
    "this build has no CUDA backend: no CUDA toolkit was found, or TILEWRIGHT_CUDA was off";

std::string nvrtc_version(const Toolchain&) {
  throw MachineError(kNotBuilt);
}
#endif

std::string host_compiler_version(const Toolchain& toolchain) {
  return host::HostCompiler({toolchain.host_compiler, temporary_folder()}).version();
}

}  // namespace

DeviceReport host_device() {
  return host::device_report();
}

std::vector<DeviceReport> devices_present() {
  std::vector<DeviceReport> devices = gpus_present().devices;
  devices.push_back(host_device());
  return devices;
}

DeviceReport default_device() {
  return devices_present().front();
}

CompilerKind compiler_for(const Device& device) {
  return device.kind == DeviceKind::host ? CompilerKind::host : CompilerKind::nvrtc;
}

std::string compiler_version(CompilerKind kind, const Toolchain& toolchain) {
  return kind == CompilerKind::host ? host_compiler_version(toolchain) : nvrtc_version(toolchain);
}

Environment environment_of(const DeviceReport& report, const Toolchain& toolchain) {
  Environment environment = report.environment;
  environment.compiler = compiler_version(compiler_for(report.device), toolchain);
  environment.tool = kVersion;
  return environment;
}

std::vector<std::string> compile_arguments(CompilerKind kind, const Toolchain& toolchain) {
  if (kind == CompilerKind::host) return {"compile", "--host", toolchain.host_compiler.string()};
  std::vector<std::string> arguments = {"compile"};
  for (const std::filesystem::path& folder : toolchain.toolkit_folders)
    arguments.insert(arguments.end(), {"--nvrtc", folder.string()});
  return arguments;
}

std::vector<std::string> session_arguments(const Device& device) {
  if (device.kind == DeviceKind::host) return {"device", "--host"};
  return {"device"};
}

StepLimits step_limits_for(const Device& device) {
  StepLimits limits;
  if (device.kind != DeviceKind::host) return limits;
  for (StepLimit* limit : {&limits.load, &limits.verify, &limits.sample}) {
    limit->start *= kHostSlower;
    limit->floor *= kHostSlower;
  }
  return limits;
}

DeviceReport find_device(const std::string& name) {
  if (name == "host") return host_device();
  const auto index = device_index(name);
  if (!index)
    throw InputError(
        fmt::format("device '{}': give host or cuda:N, N as `tilewright devices` lists it", name));
  const DeviceList list = gpus_present();
  if (list.devices.empty())
    throw MachineError(fmt::format("there is no GPU to measure on: {}; {}", list.why, kWithoutGpu));
  std::string present;
  for (const DeviceReport& report : list.devices) {
    if (report.index == *index) return report;
    present += fmt::format("{}cuda:{}", present.empty() ? "" : ", ", report.index);
  }
  throw MachineError(fmt::format("there is no device cuda:{}; present: {}", *index, present));
}

#ifdef TILEWRIGHT_HAS_CUDA

DeviceList gpus_present() {
  return cuda::list_devices();
}

PlannedTarget plan_for(const std::string& architecture, const Toolchain& toolchain) {
  std::vector<int> known;
  try {
    known = cuda::Nvrtc(toolchain.toolkit_folders).architectures();
  } catch (const MachineError&) {
    // Without NVRTC the table of limits decides.
    known = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  }
  const int capability = cuda::parse_architecture(architecture, known);
  return {architecture, cuda::planned_device(capability)};
}

CompileResult compile_here(const CompileRequest& request, CodeForm form,
                           const Toolchain& toolchain) {
  cuda::Nvrtc compiler(toolchain.toolkit_folders);
  return form == CodeForm::ptx ? compiler.compile_to_ptx(request) : compiler.compile(request);
}

BackendFacts facts_of(const Device& device) {
  return device.kind == DeviceKind::host ? host::backend_facts() : cuda::backend_facts(device);
}

std::unique_ptr<MachineMonitor> monitor_for(const DeviceReport& device) {
  if (device.device.kind == DeviceKind::host) return std::make_unique<BlindMonitor>(kHostIsUnseen);
  return cuda::make_monitor(device.uuid);
}

#else

DeviceList gpus_present() {
  return {{}, kNotBuilt};
}
PlannedTarget plan_for(const std::string&, const Toolchain&) {
  throw MachineError(kNotBuilt);
}
CompileResult compile_here(const CompileRequest&, CodeForm, const Toolchain&) {
  throw MachineError(kNotBuilt);
}
BackendFacts facts_of(const Device& device) {
  if (device.kind == DeviceKind::host) return host::backend_facts();
  throw MachineError(kNotBuilt);
}
std::unique_ptr<MachineMonitor> monitor_for(const DeviceReport&) {
  return std::make_unique<BlindMonitor>(kHostIsUnseen);
}

#endif

}  // namespace tilewright
