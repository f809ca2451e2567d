#include "tuner/verify/reference_boundary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/error.hpp"

namespace tilewright {

Boundary boundary_named(const std::string& label) {
  const auto found = std::ranges::find(kBoundaryLabels, label);
  if (found < kBoundaryLabels.begin() + 1 + static_cast<int>(Boundary::wrap))
    return static_cast<Boundary>(found - kBoundaryLabels.begin());
  throw InputError(
      fmt::format("no boundary '{}'; there are zero, replicate, reflect, mirror and wrap", label));
}

std::optional<std::int64_t> source_of(std::int64_t index, std::int64_t length, Boundary boundary) {
  if (boundary == Boundary::replicate) return std::clamp<std::int64_t>(index, 0, length - 1);
  if (boundary == Boundary::mirror && length == 1) return 0;
  while (index < 0 || index >= length) {
    switch (boundary) {
      case Boundary::reflect:
        index = index < 0 ? -1 - index : 2 * length - 1 - index;
        break;
      case Boundary::mirror:
        index = index < 0 ? -index : 2 * length - 2 - index;
        break;
      case Boundary::wrap:
        index += index < 0 ? length : -length;
        break;
      default:
        return std::nullopt;
    }
  }
  return index;
}

}  // namespace tilewright
