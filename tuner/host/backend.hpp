#pragma once

#include "tuner/backend/backend.hpp"

namespace tilewright::host {

// This machine's CPU as a device.
const Backend& backend();
DeviceReport device_report();

}  // namespace tilewright::host
