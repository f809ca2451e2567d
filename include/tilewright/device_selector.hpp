// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tilewright/device.hpp"

namespace tilewright {

// One device of this machine.
struct DeviceSelector {
  enum class Choice {
    automatic,  // the first GPU, else the host
    named,      // by kind and index
  };
  Choice choice = Choice::automatic;
  DeviceKind kind = DeviceKind::cuda;
  int index = 0;  // among devices of its kind; GPUs as CUDA counts them

  static DeviceSelector cuda(int index) { return {Choice::named, DeviceKind::cuda, index}; }
  static DeviceSelector host() { return {Choice::named, DeviceKind::host, 0}; }

  bool operator==(const DeviceSelector&) const = default;
};

// Reads "cuda:0", "cuda" (the first GPU), "host" or "auto". Throws InputError for any other text.
DeviceSelector device_selector(const std::string& text);

}  // namespace tilewright
