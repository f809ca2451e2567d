// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

#include "tilewright/device.hpp"

namespace tilewright::bindings {

// Whether `part` is in the device's name, in upper or lower case.
inline bool is_in_name(std::string_view part, const Device& device) {
  const auto is_same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return !std::ranges::search(device.name, part, is_same).empty() || part.empty();
}

}  // namespace tilewright::bindings
