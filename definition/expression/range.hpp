#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "definition/expression/expression.hpp"

namespace tilewright {

// The numbers that an expression may have while some of its names have none: multiples of `step`
// from `low` to `high`. If `step` is 0, the only number is 0.
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t step = 1;
  bool always_has_result = true;

  static Range of(std::int64_t number);
  static Range of(std::span<const std::int64_t> numbers);  // at least one
  bool is_single() const { return low == high; }
  bool is_true() const { return low > 0 || high < 0; }
  bool is_false() const { return low == 0 && high == 0; }
};

inline constexpr Range kAnything = {std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max(), 1, false};

Range truth(bool can_be_false, bool can_be_true, bool always_has_result);
// Of what is one or the other.
Range hull(const Range& a, const Range& b);
// Of an operator with two operands. It is never wrong, but not always exact.
Range combined(Operator op, const Range& a, const Range& b);
Range negated(const Range& a);

// Those of the table of operators, for operands that are not single numbers.
Range sum_range(Operator op, const Range& a, const Range& b);  // also of min and max
Range product_range(Operator op, const Range& a, const Range& b);
Range quotient_range(Operator op, const Range& a, const Range& b);
Range remainder_range(Operator op, const Range& a, const Range& b);
Range equality_range(Operator op, const Range& a, const Range& b);
Range order_range(Operator op, const Range& a, const Range& b);

}  // namespace tilewright
