// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace tilewright {

// One device of this machine.
struct DeviceSelector {
  enum class Kind {
    automatic,  // the first GPU, else the host
    cuda,       // the GPU of that index, as CUDA counts them
    host,       // this machine's CPU
  };
  Kind kind = Kind::automatic;
  int index = 0;

  static DeviceSelector cuda(int index) { return {Kind::cuda, index}; }
  static DeviceSelector host() { return {Kind::host, 0}; }

  bool operator==(const DeviceSelector&) const = default;
};

// Of "cuda:0", "cuda" (the first), "host" or "auto". Throws InputError for any other text.
DeviceSelector device_selector(const std::string& text);

}  // namespace tilewright
