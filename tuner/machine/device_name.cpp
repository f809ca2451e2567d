#include <fmt/format.h>

#include <algorithm>

#include "tilewright/error.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMostDigits = 5;

constexpr const char* kWithoutGpu =
    "--device host measures on this machine's CPU, and `tilewright plan` shows what a sweep on a "
    "GPU would try";

std::optional<int> index_from(const std::string& digits) {
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stoi(digits);
}

const DeviceReport* find(const DeviceList& list, int index) {
  const auto found = std::ranges::find(list.devices, index, &DeviceReport::index);
  return found == list.devices.end() ? nullptr : &*found;
}

std::string ids_of(const DeviceList& list) {
  std::string ids;
  for (const DeviceReport& report : list.devices) ids += (ids.empty() ? "" : ", ") + report.id;
  return ids;
}

// The first device of the first kind that has one.
const DeviceReport& first_present() {
  for (const DeviceKind kind : kDeviceKinds)
    if (const DeviceList& list = devices_of(kind); !list.devices.empty())
      return list.devices.front();
  throw MachineError("there is no device");
}

}  // namespace

std::optional<DeviceSelector> parse_device(const std::string& text) {
  if (text == "auto") return DeviceSelector{};
  for (const DeviceKind kind : kDeviceKinds) {
    const std::string name(to_text(kind));
    if (text == name) return DeviceSelector{DeviceSelector::Choice::named, kind, 0};
    if (runs_on_cpu(kind) || !text.starts_with(name + ':')) continue;
    if (const auto index = index_from(text.substr(name.size() + 1)))
      return DeviceSelector{DeviceSelector::Choice::named, kind, *index};
  }
  return std::nullopt;
}

bool is_device_id(const std::string& text) {
  return std::ranges::any_of(kDeviceKinds, [&text](DeviceKind kind) {
    const std::string name(to_text(kind));
    return text == name || (!runs_on_cpu(kind) && text.starts_with(name + ':'));
  });
}

DeviceSelector device_selector(const std::string& text) {
  if (const auto selector = parse_device(text)) return *selector;
  throw InputError(fmt::format("device '{}': give auto, host, cuda or cuda:N, N from 0", text));
}

const DeviceReport& local_device(DeviceSelector selector) {
  if (selector.choice == DeviceSelector::Choice::automatic) return first_present();
  const DeviceList& list = devices_of(selector.kind);
  if (const DeviceReport* report = find(list, selector.index)) return *report;
  const std::string id = fmt::format("{}:{}", to_text(selector.kind), selector.index);
  if (list.devices.empty())
    throw MachineError(fmt::format("there is no device {}: {}", id, list.why));
  throw MachineError(fmt::format("there is no device {}; present: {}", id, ids_of(list)));
}

const DeviceReport& find_device(const std::string& name) {
  const auto selector = parse_device(name);
  if (!selector || selector->choice == DeviceSelector::Choice::automatic)
    throw InputError(
        fmt::format("device '{}': give host or cuda:N, N as `tilewright devices` lists it", name));
  const DeviceList& list = devices_of(selector->kind);
  if (list.devices.empty())
    throw MachineError(fmt::format("there is no GPU to measure on: {}; {}", list.why, kWithoutGpu));
  return local_device(*selector);
}

}  // namespace tilewright
