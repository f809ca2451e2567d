// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/machine.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "tilewright/error.hpp"
#include "tools/paths.hpp"
#ifdef TILEWRIGHT_HAS_CUDA
#include "tuner/backend/cuda/architectures.hpp"
#include "tuner/backend/cuda/facts.hpp"
#include "tuner/backend/cuda/nvrtc.hpp"
#endif

namespace tilewright::tools {
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

#ifdef TILEWRIGHT_HAS_CUDA
constexpr const char* kWithoutDevice =
    "`tilewright plan` needs no device and shows what a sweep would try";
#else
constexpr const char* kNotBuilt =
    "this build has no CUDA backend: no CUDA toolkit was found, or TILEWRIGHT_CUDA was off";
constexpr const char* kWithoutDevice =
    "`tilewright best` and `tilewright results` still answer from a database";
#endif

}  // namespace

cuda::DeviceReport find_device(const std::string& name) {
  if (name == "host")
    throw MachineError(fmt::format("this version has no host device; {}", kWithoutDevice));
  const auto index = device_index(name);
  if (!index)
    throw InputError(
        fmt::format("--device '{}': give cuda:N, N as `tilewright devices` lists it", name));
  const cuda::DeviceList list = devices_present();
  if (list.devices.empty())
    throw MachineError(
        fmt::format("there is no device to measure on: {}; {}", list.why, kWithoutDevice));
  std::string present;
  for (const cuda::DeviceReport& report : list.devices) {
    if (report.index == *index) return report;
    present += fmt::format("{}cuda:{}", present.empty() ? "" : ", ", report.index);
  }
  throw MachineError(fmt::format("there is no device cuda:{}; present: {}", *index, present));
}

#ifdef TILEWRIGHT_HAS_CUDA

cuda::DeviceList devices_present() {
  return cuda::list_devices();
}

std::string compiler_version() {
  return cuda::Nvrtc(toolkit_folders()).version();
}

PlannedTarget plan_for(const std::string& architecture) {
  std::vector<int> known;
  try {
    known = cuda::Nvrtc(toolkit_folders()).architectures();
  } catch (const MachineError&) {
    // Without NVRTC the table of limits decides.
    known = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  }
  const int capability = cuda::parse_architecture(architecture, known);
  return {architecture, cuda::planned_device(capability)};
}

BackendFacts facts_of(const Device& device) {
  return cuda::backend_facts(device);
}

#else

cuda::DeviceList devices_present() {
  return {{}, kNotBuilt};
}
std::string compiler_version() {
  throw MachineError(kNotBuilt);
}
PlannedTarget plan_for(const std::string&) {
  throw MachineError(kNotBuilt);
}
BackendFacts facts_of(const Device&) {
  throw MachineError(kNotBuilt);
}

#endif

}  // namespace tilewright::tools
