// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/backend/cuda/devices.hpp"
#include "tuner/backend/facts.hpp"

namespace tilewright::tools {

// What this machine and this build offer. The only part of the program that knows whether the
// CUDA backend was built in.

// No device is an empty list with the reason.
cuda::DeviceList devices_present();

// The device that "cuda:1" names. Throws InputError for another form, MachineError when there
// is no such device; the message says what can be done without one.
cuda::DeviceReport find_device(const std::string& name);

// "NVRTC 13.0". Throws MachineError when there is none.
std::string compiler_version();

// A GPU to plan for: limits without a device.
struct PlannedTarget {
  std::string architecture;  // "sm_90a"
  Device device;
};

// Throws InputError for an architecture that neither NVRTC nor the table of limits knows.
PlannedTarget plan_for(const std::string& architecture);

BackendFacts facts_of(const Device& device);

}  // namespace tilewright::tools
