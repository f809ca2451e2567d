// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "tilewright/device.hpp"

namespace tilewright {

// The host device's.
inline constexpr const char* kHostArchitecture = "host";

// What to compile for: "sm_90", or "host".
std::string architecture_of(const Device& device);

// Of a device that code for the architecture runs on.
DeviceKind kind_of_architecture(const std::string& architecture);

// The architecture to compile an implementation for: `base`, or what it requires when that is
// the same generation with a suffix ("sm_90a" on sm_90). The host has a plain path for what a
// generation brings, not for what a suffix asks for. Nothing: it cannot run there.
std::optional<std::string> architecture_for(const std::string& required, const std::string& base);

}  // namespace tilewright
