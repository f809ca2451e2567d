// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tilewright/error.hpp"
#include "tools/machine.hpp"

namespace tilewright::tools {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::optional<Device> wanted_device(const Arguments& arguments, const std::string& operation,
                                    const Store* store) {
  const auto given = arguments.text("device");
  if (given && (*given == "host" || *given == "cuda" || given->starts_with("cuda:")))
    return find_device(*given).device;
  const Device present = given ? Device{} : default_device().device;
  if (!given && (present.kind != "host" || store == nullptr)) return present;
  if (store == nullptr) return std::nullopt;
  Query query;
  query.operation = operation;
  std::vector<Device> devices;
  for (const BestRow& row : store->best(query)) {
    const bool is_meant = !given || is_named(row.device, *given);
    if (is_meant && std::find(devices.begin(), devices.end(), row.device) == devices.end())
      devices.push_back(row.device);
  }
  if (std::find(devices.begin(), devices.end(), present) != devices.end()) return present;
  if (devices.size() == 1) return devices.front();
  if (devices.empty()) {
    if (given)
      throw InputError(
          fmt::format("--device '{}': no stored device of {} has that in its "
                      "name",
                      *given, operation));
    return present;
  }
  std::string names;
  for (const Device& device : devices)
    names += fmt::format("{}'{}{}'", names.empty() ? "" : ", ", device.name,
                         device.partition.empty() ? "" : " " + device.partition);
  throw InputError(
      fmt::format("results of several devices are stored ({}); choose one with "
                  "--device and a part of its name",
                  names));
}

bool is_named(const Device& device, const std::string& name) {
  return lower(device.name).find(lower(name)) != std::string::npos;
}

Environment present_environment(const Device& device) {
  for (const DeviceReport& report : devices_present()) {
    if (report.device != device) continue;
    try {
      return environment_of(report);
    } catch (const MachineError&) {
      return report.environment;  // no compiler: nothing to compare with
    }
  }
  return {};
}

}  // namespace tilewright::tools
