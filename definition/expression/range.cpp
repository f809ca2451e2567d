#include "definition/expression/range.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "definition/expression/operators.hpp"

namespace tilewright {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

// 0 for the least number, because its magnitude does not fit.
std::int64_t magnitude(std::int64_t number) {
  if (number == Limits::min()) return 1;
  return number < 0 ? -number : number;
}

bool may_be_zero(const Range& range) {
  return range.low <= 0 && range.high >= 0;
}

// For operators that are monotone in each operand while the other is fixed.
Range at_corners(Operator op, const Range& a, const Range& b) {
  Range range{Limits::max(), Limits::min(), 1, a.always_has_result && b.always_has_result};
  for (const std::int64_t left : {a.low, a.high})
    for (const std::int64_t right : {b.low, b.high}) {
      std::int64_t corner = 0;
      if (!apply(op, left, right, corner)) return kAnything;
      range.low = std::min(range.low, corner);
      range.high = std::max(range.high, corner);
    }
  return range;
}

}  // namespace

Range Range::of(std::int64_t number) {
  return {number, number, magnitude(number), true};
}

Range Range::of(std::span<const std::int64_t> numbers) {
  Range range = of(numbers.front());
  for (const std::int64_t number : numbers) range = hull(range, of(number));
  return range;
}

Range truth(bool can_be_false, bool can_be_true, bool always_has_result) {
  Range range{can_be_false ? 0 : 1, can_be_true ? 1 : 0, 1, always_has_result};
  return range;
}

Range hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), std::gcd(a.step, b.step),
          a.always_has_result && b.always_has_result};
}

Range sum_range(Operator op, const Range& a, const Range& b) {
  Range range = at_corners(op, a, b);
  range.step = std::gcd(a.step, b.step);
  return range;
}

Range product_range(Operator op, const Range& a, const Range& b) {
  Range range = at_corners(op, a, b);
  if (__builtin_mul_overflow(a.step, b.step, &range.step)) range.step = std::max(a.step, b.step);
  return range;
}

Range quotient_range(Operator op, const Range& a, const Range& b) {
  return may_be_zero(b) ? kAnything : at_corners(op, a, b);
}

Range remainder_range(Operator, const Range& a, const Range& b) {
  if (may_be_zero(b)) return kAnything;
  Range range{0, 0, std::gcd(a.step, b.step), a.always_has_result && b.always_has_result};
  if (b.is_single() && a.step % b.low == 0) return Range{0, 0, 0, range.always_has_result};
  if (b.low > 0) {
    if (a.low >= 0 && a.high < b.low) return {a.low, a.high, a.step, range.always_has_result};
    range.high = a.low >= 0 ? std::min(a.high, b.high - 1) : b.high - 1;
  } else {
    range.low = b.low + 1;
  }
  return range;
}

Range equality_range(Operator op, const Range& a, const Range& b) {
  bool can_differ = !a.is_single() || !b.is_single() || a.low != b.low;
  bool can_be_equal = a.low <= b.high && b.low <= a.high;
  for (const auto& [number, other] : {std::pair(a, b), std::pair(b, a)})
    if (number.is_single())
      can_be_equal &= other.step == 0 ? number.low == 0 : number.low % other.step == 0;
  if (op == Operator::not_equal) std::swap(can_differ, can_be_equal);
  return truth(can_differ, can_be_equal, a.always_has_result && b.always_has_result);
}

Range order_range(Operator op, const Range& a, const Range& b) {
  if (op == Operator::greater) return order_range(Operator::less, b, a);
  if (op == Operator::greater_equal) return order_range(Operator::less_equal, b, a);
  const bool strict = op == Operator::less;
  const bool can_be_true = strict ? a.low < b.high : a.low <= b.high;
  const bool can_be_false = strict ? a.high >= b.low : a.high > b.low;
  return truth(can_be_false, can_be_true, a.always_has_result && b.always_has_result);
}

Range combined(Operator op, const Range& a, const Range& b) {
  const OperatorFacts::Interval interval = facts_of(op).interval;
  if (interval == nullptr) return kAnything;
  if (!a.is_single() || !b.is_single()) return interval(op, a, b);
  std::int64_t number = 0;
  if (!apply(op, a.low, b.low, number)) return kAnything;
  Range range = Range::of(number);
  range.always_has_result = a.always_has_result && b.always_has_result;
  return range;
}

Range negated(const Range& a) {
  Range range = combined(Operator::subtract, Range::of(0), a);
  range.step = a.step;
  return range;
}

}  // namespace tilewright
