// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tuner/machine/machine.hpp"

namespace tilewright::tools {

// What this machine offers (tuner/machine/machine.hpp), with the compilers that the environment
// names.

// From PATH, and from what CUDA's variables name.
Toolchain toolchain();

// The one that --device names.
DeviceReport find_device(const std::string& name);

std::string compiler_version(DeviceKind kind);
Environment environment_of(const DeviceReport& report);

// A GPU to plan for: limits without a device.
struct PlannedTarget {
  std::string architecture;  // "sm_90a"
  Device device;
};

// Throws InputError for an architecture that neither NVRTC nor the table of limits knows.
PlannedTarget plan_for(const std::string& architecture);

}  // namespace tilewright::tools
