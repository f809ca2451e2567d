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
    const bool is_named = !given || lower(row.device.name).find(lower(*given)) != std::string::npos;
    if (is_named && std::find(devices.begin(), devices.end(), row.device) == devices.end())
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

}  // namespace tilewright::tools
