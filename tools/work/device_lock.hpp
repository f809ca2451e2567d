// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <iosfwd>

#include "campaign/device_lock.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

using tilewright::DeviceClaim;
using tilewright::DeviceLock;

// Waits until nobody else measures on the device, with a line on `messages` if it has to. With
// --no-wait it throws MachineError instead, with the same sentence.
DeviceClaim claim_device(const Arguments& arguments, const DeviceReport& device,
                         const std::atomic<bool>& stop, std::ostream& messages);

OptionSpec no_wait_option();

}  // namespace tilewright::tools
