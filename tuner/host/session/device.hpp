#pragma once

#include "tuner/backend/backend.hpp"
#include "tuner/backend/device_report.hpp"

namespace tilewright::host {

// This machine's CPU as a device.
DeviceReport device_report();

// No probe and no occupancy.
BackendFacts backend_facts();

}  // namespace tilewright::host
