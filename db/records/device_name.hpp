#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/device.hpp"

namespace tilewright {

// The name with the partition: "NVIDIA H200", "NVIDIA H200 1g.18gb".
std::string full_name(const Device& device);

// Whether the device's full name contains `part`. Upper and lower case are equal. "host" is every
// CPU.
bool is_named(const Device& device, std::string_view part);

// Appends the device, unless it is there already.
void add_device(std::vector<Device>& devices, const Device& device);

// The devices with this full name; if there are none, those that are named so (is_named()).
std::vector<Device> named_devices(const std::vector<Device>& devices, std::string_view text);

// "'NVIDIA A100', 'NVIDIA H200 1g.18gb'".
std::string names_of(const std::vector<Device>& devices);

}  // namespace tilewright
