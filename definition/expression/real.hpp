#pragma once

#include <optional>
#include <string_view>

#include "definition/expression/expression.hpp"

namespace tilewright {

// Gives the real number that a name stands for, or nothing if it stands for none.
using RealScope = std::function<std::optional<double>(std::string_view name)>;

// The value of an expression in real numbers: `/` divides exactly, and `%` leaves the remainder of
// a division that rounds down. `numbers` come before the names of `scope`. Nothing if there is no
// finite value: a name is unknown, a label stands for a number, or a division by zero.
std::optional<double> real_value(const Expression& expression, const Scope& scope,
                                 const RealScope& numbers);

}  // namespace tilewright
