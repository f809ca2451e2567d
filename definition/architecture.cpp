#include "definition/architecture.hpp"

#include <cctype>

namespace tilewright {
int capability_of(const std::string& architecture) {
  int number = 0;
  for (const char c : architecture)
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) number = number * 10 + (c - '0');
  return number;
}

std::string architecture_of(const Device& device) {
  switch (device.kind) {
    case DeviceKind::cuda:
      return "sm_" + std::to_string(device.compute_capability);
    case DeviceKind::host:
      return kHostArchitecture;
  }
  return "";
}

DeviceKind kind_of_architecture(const std::string& architecture) {
  return architecture == kHostArchitecture ? DeviceKind::host : DeviceKind::cuda;
}

std::optional<std::string> architecture_for(const std::string& required, const std::string& base) {
  if (required.empty()) return base;
  const bool exact = std::isalpha(static_cast<unsigned char>(required.back())) != 0;
  if (base == kHostArchitecture) return exact ? std::nullopt : std::optional(base);
  if (exact) {
    if (capability_of(required) != capability_of(base)) return std::nullopt;
    return required;
  }
  if (capability_of(required) > capability_of(base)) return std::nullopt;
  return base;
}

}  // namespace tilewright
