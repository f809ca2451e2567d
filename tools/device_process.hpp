// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tilewright/device.hpp"
#include "tuner/worker/device_client.hpp"

namespace tilewright::tools {

// How the process that measures on such a device is started and limited. Throws MachineError
// when there is no worker program.
DeviceClientOptions device_process(const Device& device);

}  // namespace tilewright::tools
