#pragma once

#include <cstdint>
#include <span>

#include "tuner/space/formulas.hpp"

namespace tilewright {

// The numbers that a formula may have while some parameters are unbound: multiples of `step` from
// `low` to `high`. If `step` is 0, the only number is 0.
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t step = 1;
  bool always_has_result = true;

  static Range of(std::int64_t number);
  static Range of(std::span<const std::int64_t> numbers);  // at least one
  bool is_single() const { return low == high; }
};

enum class Outlook { always_true, always_false, open };

// Whether the formula is true for all values within `ranges` (by parameter), or false for all.
// `open` if neither is certain, or if some values may have no result. It uses interval arithmetic
// with divisibility, which is never wrong, but not always exact. `known` is as for
// Formulas::evaluate.
Outlook outlook(const Formulas& formulas, FormulaId id, std::span<const Range> ranges,
                std::span<const WorkedOut> known = {});

}  // namespace tilewright
