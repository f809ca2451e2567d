// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/device_process.hpp"

#include "tools/machine.hpp"
#include "tools/paths.hpp"

namespace tilewright::tools {

DeviceClientOptions device_process(const Device& device) {
  DeviceClientOptions options;
  options.worker = worker_program();
  options.arguments = session_arguments(device);
  if (device.kind == "host") options.step_limit *= 3;  // verifies in three orders
  return options;
}

}  // namespace tilewright::tools
