#pragma once

#include "tuner/backend/device_report.hpp"

namespace tilewright::cuda {

// The devices that the driver reports. If there are none, `why` says so: "no NVIDIA driver", "the
// driver is too old for CUDA 13.0", "no CUDA device". Does not throw if something is missing.
DeviceList list_devices();

}  // namespace tilewright::cuda
