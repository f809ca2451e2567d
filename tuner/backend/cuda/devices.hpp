// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tilewright/device.hpp"

namespace tilewright::cuda {

// One GPU as `tilewright devices` lists it.
struct DeviceReport {
  int index = 0;
  Device device;
  Environment environment;
  std::int64_t memory_bytes = 0;
  std::string uuid;
};

// What the driver reports. No device is an empty list with `why` filled: "no NVIDIA driver",
// "the driver is too old for CUDA 13.0", "no CUDA device". Never throws for a missing part.
struct DeviceList {
  std::vector<DeviceReport> devices;
  std::string why;
};
DeviceList list_devices();

}  // namespace tilewright::cuda
