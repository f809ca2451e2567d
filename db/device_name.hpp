// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

#include "tilewright/device.hpp"

namespace tilewright {

// Whether `part` is in the device's name, in upper or lower case.
inline bool is_named(const Device& device, std::string_view part) {
  const auto is_same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return !std::ranges::search(device.name, part, is_same).empty() || part.empty();
}

}  // namespace tilewright
