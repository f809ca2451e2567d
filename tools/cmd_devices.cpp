// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "tilewright/error.hpp"
#include "tools/command.hpp"
#include "tools/machine.hpp"
#include "tools/report.hpp"

namespace tilewright::tools {
namespace {

std::string capability_text(const Device& device) {
  return fmt::format("{}.{}", device.compute_capability / 10, device.compute_capability % 10);
}

void print_devices_json(const cuda::DeviceList& list) {
  nlohmann::json devices = nlohmann::json::array();
  for (const cuda::DeviceReport& report : list.devices) {
    devices.push_back({{"id", fmt::format("cuda:{}", report.index)},
                       {"device", json_of(report.device)},
                       {"environment", json_of(report.environment)},
                       {"memory_bytes", report.memory_bytes},
                       {"uuid", report.uuid}});
  }
  nlohmann::json json = {{"devices", devices}};
  if (list.devices.empty()) json["why"] = list.why;
  print_json(std::cout, json);
}

void print_table(const cuda::DeviceList& list) {
  Table table({"device", "name", "capability", "SMs", "memory", "L2", "shared/block", "driver"});
  for (const cuda::DeviceReport& report : list.devices) {
    const Device& device = report.device;
    table.add({fmt::format("cuda:{}", report.index),
               device.name + (device.partition.empty() ? "" : " " + device.partition),
               capability_text(device), std::to_string(device.sm_count),
               bytes_text(report.memory_bytes), bytes_text(device.l2_bytes),
               bytes_text(device.shared_bytes_per_block), report.environment.driver});
  }
  table.print(std::cout);
}

int run(const Arguments& arguments) {
  if (!arguments.words().empty())
    throw InputError(
        fmt::format("devices takes no name; '{}' is one too many", arguments.words().front()));
  const cuda::DeviceList list = devices_present();
  if (arguments.has("json")) {
    print_devices_json(list);
  } else if (list.devices.empty()) {
    std::cerr << "no device: " << list.why << '\n';
  } else {
    print_table(list);
  }
  return list.devices.empty() ? kNothing : kDone;
}

}  // namespace

Command devices_command() {
  return {"devices",       "List the devices that a sweep can measure on.",
          "[--json]",      "  tilewright devices\n",
          {json_option()}, run};
}

}  // namespace tilewright::tools
