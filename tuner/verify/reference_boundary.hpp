#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tilewright/boundary.hpp"

namespace tilewright {

// Throws InputError for another label than those of Boundary.
Boundary boundary_named(const std::string& label);

// The index of the sample that stands at `index` of a row of `length`; nothing if it is zero. It
// moves into the row one reflection or period at a time, as the definitions say.
std::optional<std::int64_t> source_of(std::int64_t index, std::int64_t length, Boundary boundary);

}  // namespace tilewright
