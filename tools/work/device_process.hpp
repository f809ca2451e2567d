// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <vector>

#include "tilewright/device.hpp"
#include "tools/input/options.hpp"
#include "tuner/worker/device_client.hpp"

namespace tilewright::tools {

// How the process that measures on such a device is started and limited; reads --load-limit,
// --verify-limit and --sample-limit. Throws MachineError when there is no worker program.
DeviceClientOptions device_process(const Arguments& arguments, const Device& device,
                                   const std::atomic<bool>& stop);

// Those and the limits of compiles.
std::vector<OptionSpec> limit_options();

// Throws InputError for what none of them accepts.
void check_limits(const Arguments& arguments);

}  // namespace tilewright::tools
