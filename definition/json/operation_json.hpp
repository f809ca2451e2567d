#pragma once

#include "definition/definition.hpp"
#include "definition/json/codec.hpp"

namespace tilewright {

// What a call of the operation gives: Runtime::describe() in include/tilewright/runtime.hpp.
Json describe(const Operation& operation);

}  // namespace tilewright
