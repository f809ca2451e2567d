// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/work/device_lock.hpp"

#include <ostream>

#include "tilewright/error.hpp"

namespace tilewright::tools {

DeviceClaim claim_device(const Arguments& arguments, const DeviceReport& device,
                         const std::atomic<bool>& stop, std::ostream& messages) {
  return tilewright::claim_device(device, stop, [&](const std::string& sentence) {
    if (arguments.has("no-wait")) throw MachineError(sentence);
    messages << sentence << "; waiting (--no-wait fails instead)" << std::endl;
  });
}

OptionSpec no_wait_option() {
  return {"no-wait", "", "Fail where another process measures on the device."};
}

}  // namespace tilewright::tools
