#pragma once

#include <optional>
#include <string>

#include "tilewright/device.hpp"

namespace tilewright {

struct Implementation;

inline constexpr const char* kHostArchitecture = "host";

// The architecture of the device: "sm_90", or "host".
std::string architecture_of(const Device& device);

// The kind of device that runs code for the architecture.
DeviceKind kind_of_architecture(const std::string& architecture);

// The architecture to compile an implementation for; nothing if it cannot run on a `base` device.
// It is `base`, or `required` if that is the same generation with a suffix ("sm_90a" on sm_90). The
// host runs all of them, as far as it has what their code uses.
std::optional<std::string> architecture_for(const std::string& required, const std::string& base);

// The same for what the implementation requires and its target: a specific one is "sm_90a" on
// "sm_90", on every generation that has such a target.
std::optional<std::string> architecture_for(const Implementation& implementation,
                                            const std::string& base);

// "sm_90a" → 90; 0 for a text without digits.
int capability_of(const std::string& architecture);

}  // namespace tilewright
