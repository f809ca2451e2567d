#include "definition/architecture.hpp"

#include <cctype>

#include "definition/definition.hpp"

namespace tilewright {
namespace {

// The first capability with targets such as sm_90a.
constexpr int kFirstSpecific = 90;

}  // namespace

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
  if (base == kHostArchitecture) return base;
  const bool exact = std::isalpha(static_cast<unsigned char>(required.back())) != 0;
  if (exact) {
    if (capability_of(required) != capability_of(base)) return std::nullopt;
    return required;
  }
  if (capability_of(required) > capability_of(base)) return std::nullopt;
  return base;
}

std::optional<std::string> architecture_for(const Implementation& implementation,
                                            const std::string& base) {
  const auto found = architecture_for(implementation.requires_architecture, base);
  const bool may_be_specific = found && *found != kHostArchitecture &&
                               capability_of(*found) >= kFirstSpecific &&
                               std::isdigit(static_cast<unsigned char>(found->back())) != 0;
  return implementation.architecture_specific && may_be_specific ? *found + 'a' : found;
}

}  // namespace tilewright
