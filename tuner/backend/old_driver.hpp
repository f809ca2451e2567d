#pragma once

#include <string>

#include "tuner/backend/device_report.hpp"

namespace tilewright {

// A version of CUDA as its libraries number it: 13000 is 13.0.
std::string cuda_version_text(int version);

// "install driver 580.65.06 or newer": the oldest driver of this CUDA.
std::string driver_to_install(int cuda_version);

// A driver loads code of compilers of its CUDA's major version and of earlier ones. If that of the
// device is older than `compiler` ("NVRTC 13.0"), a sentence that names both and says what to
// install. Else empty, also for other compilers and if the driver is unknown.
std::string old_driver_note(const DeviceReport& device, const std::string& compiler);

}  // namespace tilewright
