#include "tuner/machine/machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <mutex>

#include "tilewright/error.hpp"
#include "tilewright/version.hpp"
#include "tuner/host/backend.hpp"
#ifdef TILEWRIGHT_HAS_CUDA
#include "tuner/cuda/backend.hpp"
#endif

namespace tilewright {
namespace {

// A kind of device as this build has it.
struct Built {
  const Backend* backend = nullptr;
  const char* why_not = "";
};

// The only place that knows which backends this build has.
Built built(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cuda:
#ifdef TILEWRIGHT_HAS_CUDA
      return {&cuda::backend()};
#else
      return {nullptr,
              "this build has no CUDA backend: no CUDA toolkit was found, or TILEWRIGHT_CUDA was "
              "off"};
#endif
    case DeviceKind::host:
      return {&host::backend()};
  }
  return {};
}

struct AskedDevices {
  std::once_flag once;
  DeviceList list;
};

}  // namespace

const Backend* find_backend(DeviceKind kind) {
  return built(kind).backend;
}

const Backend& backend_of(DeviceKind kind) {
  const Built found = built(kind);
  if (found.backend == nullptr) throw MachineError(found.why_not);
  return *found.backend;
}

const DeviceList& devices_of(DeviceKind kind) {
  static std::array<AskedDevices, kDeviceKinds.size()> all;
  AskedDevices& asked = all.at(static_cast<std::size_t>(kind));
  std::call_once(asked.once, [&] {
    const Built found = built(kind);
    asked.list = found.backend ? found.backend->devices() : DeviceList{{}, found.why_not};
  });
  return asked.list;
}

DeviceList gpus_present() {
  DeviceList gpus;
  for (const DeviceKind kind : kDeviceKinds) {
    if (runs_on_cpu(kind)) continue;
    const DeviceList& list = devices_of(kind);
    gpus.devices.insert(gpus.devices.end(), list.devices.begin(), list.devices.end());
    if (!list.why.empty()) gpus.why += (gpus.why.empty() ? "" : "; ") + list.why;
  }
  if (!gpus.devices.empty()) gpus.why.clear();
  return gpus;
}

std::vector<DeviceReport> devices_present() {
  std::vector<DeviceReport> devices = gpus_present().devices;
  devices.push_back(local_device(DeviceSelector::host()));
  return devices;
}

std::filesystem::path usual_host_compiler() {
  for (const char* program : {"/usr/bin/c++", "/usr/bin/g++", "/usr/bin/clang++"})
    if (access(program, X_OK) == 0) return program;
  return {};
}

std::string compiler_version(DeviceKind kind, const Toolchain& toolchain) {
  return backend_of(kind).make_compiler(toolchain)->version();
}

Environment environment_of(const DeviceReport& report, const Toolchain& toolchain) {
  Environment environment = report.environment;
  environment.compiler = compiler_version(report.device.kind, toolchain);
  environment.tool = kVersion;
  return environment;
}

}  // namespace tilewright
