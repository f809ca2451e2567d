#pragma once

#include <string>

#include "definition/definition.hpp"

namespace tilewright {

// `M=N=512 K=64 layout=row`: dimensions, choices and hooks in the operation's order, as command
// lines take them. What equals a default is left out, but for the default of a dimension that is
// above its minimum.
std::string problem_text(const Operation& operation, const Problem& problem);

}  // namespace tilewright
