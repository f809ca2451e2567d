#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilewright {

// Ghost samples of the built-in references: what stands beyond the ends of a row.
enum class GhostRule { zero, replicate, reflect, mirror, wrap };

// Throws InputError for another label than those.
GhostRule to_ghost_rule(const std::string& label);

// The index of the sample that stands at `index` of a row of `length`; nothing if it is zero. It
// moves into the row one reflection or period at a time, as the definitions say.
std::optional<std::int64_t> source_of(std::int64_t index, std::int64_t length, GhostRule rule);

}  // namespace tilewright
