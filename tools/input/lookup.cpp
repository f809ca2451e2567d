// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/input/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "db/records/device_name.hpp"
#include "tilewright/error.hpp"
#include "tools/input/machine.hpp"
#include "tools/input/open_store.hpp"
#include "tools/input/paths.hpp"

namespace tilewright::tools {
namespace {

// The devices of these rows that the text names; empty: all.
std::vector<Device> devices_of(const std::vector<BestRow>& rows, const std::string& name) {
  std::vector<Device> devices;
  for (const BestRow& row : rows)
    if (std::find(devices.begin(), devices.end(), row.device) == devices.end())
      devices.push_back(row.device);
  return named_devices(devices, name);
}

std::vector<BestRow> stored_rows(const Store* store, const std::string& operation) {
  Query query;
  query.operation = operation;
  return store == nullptr ? std::vector<BestRow>{} : store->best(query);
}

}  // namespace

std::optional<Device> wanted_device(const Arguments& arguments, const std::string& operation,
                                    const Store* store, const std::vector<BestRow>& shipped) {
  const auto given = arguments.text("device");
  if (given && is_device_id(*given)) return find_device(*given).device;
  const Device present = given ? Device{} : local_device({}).device;
  if (!given && (!runs_on_cpu(present.kind) || store == nullptr)) return present;
  std::vector<Device> devices = devices_of(stored_rows(store, operation), given.value_or(""));
  if (given && devices.empty()) devices = devices_of(shipped, *given);
  if (given && devices.empty() && store == nullptr) return std::nullopt;
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
  throw InputError(
      fmt::format("results of several devices are stored ({}); choose one with --device and its "
                  "name, or a part that is in no other",
                  names_of(devices)));
}

StoredRows stored_rows(const Arguments& arguments, const Store* store) {
  return {store, store == nullptr ? no_database_text(arguments) : "", shipped_places(arguments)};
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
