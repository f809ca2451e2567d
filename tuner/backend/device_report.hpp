// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/device.hpp"

namespace tilewright {

// One device as `tilewright devices` lists it.
struct DeviceReport {
  std::string id;  // "cuda:0", "host"
  int index = 0;   // among the devices of its kind
  Device device;
  Environment environment;
  std::int64_t memory_bytes = 0;
  std::string uuid;
};

// An empty list says why there is no device.
struct DeviceList {
  std::vector<DeviceReport> devices;
  std::string why;
};

}  // namespace tilewright
