#pragma once

#include <span>

#include "definition/expression/range.hpp"
#include "tuner/space/formulas.hpp"

namespace tilewright {

enum class Outlook { always_true, always_false, open };

// Whether the formula is true for all values within `ranges` (by parameter), or false for all.
// `open` if neither is certain, or if some values may have no result. It uses interval arithmetic
// with divisibility, which is never wrong, but not always exact. `known` is as for
// Formulas::evaluate.
Outlook outlook(const Formulas& formulas, FormulaId id, std::span<const Range> ranges,
                std::span<const WorkedOut> known = {});

}  // namespace tilewright
