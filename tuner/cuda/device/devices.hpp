// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tuner/backend/device_report.hpp"

namespace tilewright::cuda {

// What the driver reports. No device is an empty list with `why` filled: "no NVIDIA driver",
// "the driver is too old for CUDA 13.0", "no CUDA device". Never throws for a missing part.
DeviceList list_devices();

}  // namespace tilewright::cuda
