// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "tilewright/device.hpp"

namespace tilewright {

// One device of this machine.
struct DeviceSelector {
  std::optional<DeviceKind> kind = {};  // nothing: the first GPU, else the host
  int index = 0;                        // of its kind; GPUs as CUDA counts them

  static DeviceSelector cuda(int index) { return {DeviceKind::cuda, index}; }
  static DeviceSelector host() { return {DeviceKind::host, 0}; }

  bool operator==(const DeviceSelector&) const = default;
};

// Of "cuda:0", "cuda" (the first), "host" or "auto". Throws InputError for any other text.
DeviceSelector device_selector(const std::string& text);

}  // namespace tilewright
