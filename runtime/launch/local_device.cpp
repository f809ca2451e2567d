// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "runtime/launch/local_device.hpp"

#include <fmt/format.h>

#include "tilewright/error.hpp"
#include "tuner/host/launch/executable.hpp"
#include "tuner/host/session/device.hpp"
#ifdef TILEWRIGHT_HAS_CUDA
#include "tuner/cuda/device/devices.hpp"
#include "tuner/cuda/launch/executable.hpp"
#endif

namespace tilewright {
namespace {

// Asked once: devices neither come nor go while a process lives.
const DeviceReport& cpu() {
  static const DeviceReport report = host::device_report();
  return report;
}

#ifdef TILEWRIGHT_HAS_CUDA
const DeviceList& gpus() {
  static const DeviceList list = cuda::list_devices();
  return list;
}
#else
const DeviceList& gpus() {
  static const DeviceList list{{}, "this build has no CUDA backend"};
  return list;
}
#endif

}  // namespace

DeviceSelector device_selector(const std::string& text) {
  if (text == "auto") return {};
  if (text == "host") return DeviceSelector::host();
  if (text == "cuda") return DeviceSelector::cuda(0);
  constexpr std::string_view kPrefix = "cuda:";
  const std::string digits = text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : "";
  const bool is_number = !digits.empty() && digits.size() < 6 &&
                         digits.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number)
    throw InputError(fmt::format("device '{}': give auto, host, cuda or cuda:N, N from 0", text));
  return DeviceSelector::cuda(std::stoi(digits));
}

DeviceReport local_device(DeviceSelector selector) {
  using Kind = DeviceSelector::Kind;
  const bool wants_host =
      selector.kind == Kind::host || (selector.kind == Kind::automatic && gpus().devices.empty());
  if (wants_host) return cpu();
  for (const DeviceReport& report : gpus().devices)
    if (selector.kind == Kind::automatic || report.index == selector.index) return report;
  if (gpus().devices.empty())
    throw MachineError(fmt::format("there is no device cuda:{}: {}", selector.index, gpus().why));
  throw MachineError(fmt::format("there is no device cuda:{}; there are {}, counted from 0",
                                 selector.index, gpus().devices.size()));
}

std::unique_ptr<Executable> load_on(const Device& device, const ExecutablePlan& plan) {
  if (device.kind == DeviceKind::host) return host::make_executable(plan);
#ifdef TILEWRIGHT_HAS_CUDA
  return cuda::make_executable(plan);
#else
  throw MachineError(gpus().why);
#endif
}

}  // namespace tilewright
