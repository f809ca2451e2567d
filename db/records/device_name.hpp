// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/device.hpp"

namespace tilewright {

// With its partition: "NVIDIA H200", "NVIDIA H200 1g.18gb".
std::string full_name(const Device& device);

// Whether `part` is in the device's full name, in upper or lower case.
bool is_named(const Device& device, std::string_view part);

// Those that `text` names: whose full name it is, where there are such, else whose full name it is
// in. In upper or lower case.
std::vector<Device> named_devices(const std::vector<Device>& devices, std::string_view text);

// "'NVIDIA A100', 'NVIDIA H200 1g.18gb'".
std::string names_of(const std::vector<Device>& devices);

}  // namespace tilewright
