// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace tilewright::cuda {

// The driver's version as NVML gives it, "580.159.04". Empty if there is no libnvidia-ml.so.1
// or it does not answer. NVML is loaded and released within the call.
std::string nvml_driver_version();

}  // namespace tilewright::cuda
