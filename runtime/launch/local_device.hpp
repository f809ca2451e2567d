// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tilewright/device_selector.hpp"
#include "tuner/backend/device_report.hpp"
#include "tuner/backend/executable.hpp"

namespace tilewright {

// The device that a selector means here. Throws MachineError that says what is present.
DeviceReport local_device(DeviceSelector selector);

// Loads code on the device. Throws MachineError.
std::unique_ptr<Executable> load_on(const Device& device, const ExecutablePlan& plan);

}  // namespace tilewright
