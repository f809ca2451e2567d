#pragma once

#include <string>

#include "definition/definition.hpp"

namespace tilewright {

// A hash of all that decides which configurations there are, what they compute and how they are
// judged: results of definitions with one hash may be compared.
std::string space_hash(const Implementation& implementation, const Operation& operation);

}  // namespace tilewright
