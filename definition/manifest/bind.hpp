#pragma once

#include "definition/definition.hpp"

namespace tilewright {

// Gives the expressions of checked definitions what settings do not hold: the value of a choice or
// parameter that they omit, and the bytes of an argument's elements. Does nothing to expressions
// that have it already.
void bind(Operation& operation);
// REQUIRES a bound operation. Prepares the general configurations too.
void bind(Implementation& implementation, const Operation& operation);

// The expression, which may use the names of both.
Expression bound(const Expression& expression, const Implementation& implementation,
                 const Operation& operation);

}  // namespace tilewright
