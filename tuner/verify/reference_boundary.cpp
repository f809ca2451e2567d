#include "tuner/verify/reference_boundary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/error.hpp"

namespace tilewright {

GhostRule to_ghost_rule(const std::string& label) {
  if (label == "zero") return GhostRule::zero;
  if (label == "replicate") return GhostRule::replicate;
  if (label == "reflect") return GhostRule::reflect;
  if (label == "mirror") return GhostRule::mirror;
  if (label == "wrap") return GhostRule::wrap;
  throw InputError(
      fmt::format("no boundary '{}'; there are zero, replicate, reflect, mirror and wrap", label));
}

std::optional<std::int64_t> source_of(std::int64_t index, std::int64_t length, GhostRule rule) {
  if (rule == GhostRule::replicate) return std::clamp<std::int64_t>(index, 0, length - 1);
  if (rule == GhostRule::mirror && length == 1) return 0;
  while (index < 0 || index >= length) {
    switch (rule) {
      case GhostRule::reflect:
        index = index < 0 ? -1 - index : 2 * length - 1 - index;
        break;
      case GhostRule::mirror:
        index = index < 0 ? -index : 2 * length - 2 - index;
        break;
      case GhostRule::wrap:
        index += index < 0 ? length : -length;
        break;
      default:
        return std::nullopt;
    }
  }
  return index;
}

}  // namespace tilewright
