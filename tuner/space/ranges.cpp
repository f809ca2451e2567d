#include "tuner/space/ranges.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "definition/expression/apply.hpp"

namespace tilewright {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

constexpr Range kAnything = {Limits::min(), Limits::max(), 1, false};

// 0 for the least number, because its magnitude does not fit.
std::int64_t magnitude(std::int64_t number) {
  if (number == Limits::min()) return 1;
  return number < 0 ? -number : number;
}

bool is_true(const Range& range) {
  return range.low > 0 || range.high < 0;
}

bool is_false(const Range& range) {
  return range.low == 0 && range.high == 0;
}

Range truth(bool can_be_false, bool can_be_true, bool always_has_result) {
  Range range{can_be_false ? 0 : 1, can_be_true ? 1 : 0, 1, always_has_result};
  return range;
}

Range hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), std::gcd(a.step, b.step),
          a.always_has_result && b.always_has_result};
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

Range product(const Range& a, const Range& b) {
  Range range = at_corners(Operator::multiply, a, b);
  if (__builtin_mul_overflow(a.step, b.step, &range.step)) range.step = std::max(a.step, b.step);
  return range;
}

Range remainder(const Range& a, const Range& b) {
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

Range equality(const Range& a, const Range& b, Operator op) {
  bool can_differ = !a.is_single() || !b.is_single() || a.low != b.low;
  bool can_be_equal = a.low <= b.high && b.low <= a.high;
  for (const auto& [number, other] : {std::pair(a, b), std::pair(b, a)})
    if (number.is_single())
      can_be_equal &= other.step == 0 ? number.low == 0 : number.low % other.step == 0;
  if (op == Operator::not_equal) std::swap(can_differ, can_be_equal);
  return truth(can_differ, can_be_equal, a.always_has_result && b.always_has_result);
}

Range order(const Range& a, const Range& b, Operator op) {
  if (op == Operator::greater) return order(b, a, Operator::less);
  if (op == Operator::greater_equal) return order(b, a, Operator::less_equal);
  const bool strict = op == Operator::less;
  const bool can_be_true = strict ? a.low < b.high : a.low <= b.high;
  const bool can_be_false = strict ? a.high >= b.low : a.high > b.low;
  return truth(can_be_false, can_be_true, a.always_has_result && b.always_has_result);
}

Range combined(Operator op, const Range& a, const Range& b) {
  if (a.is_single() && b.is_single()) {
    std::int64_t number = 0;
    if (!apply(op, a.low, b.low, number)) return kAnything;
    Range range = Range::of(number);
    range.always_has_result = a.always_has_result && b.always_has_result;
    return range;
  }
  switch (op) {
    case Operator::add:
    case Operator::subtract:
    case Operator::minimum:
    case Operator::maximum: {
      Range range = at_corners(op, a, b);
      range.step = std::gcd(a.step, b.step);
      return range;
    }
    case Operator::multiply:
      return product(a, b);
    case Operator::floor_divide:
    case Operator::ceil_div:
      return may_be_zero(b) ? kAnything : at_corners(op, a, b);
    case Operator::modulo:
      return remainder(a, b);
    case Operator::equal:
    case Operator::not_equal:
      return equality(a, b, op);
    case Operator::less:
    case Operator::less_equal:
    case Operator::greater:
    case Operator::greater_equal:
      return order(a, b, op);
    default:
      return kAnything;
  }
}

Range negated(const Range& a) {
  Range range = combined(Operator::subtract, Range::of(0), a);
  range.step = a.step;
  return range;
}

class Estimation {
 public:
  Estimation(const Formulas& formulas, std::span<const Range> ranges,
             std::span<const WorkedOut> known)
      : formulas_(formulas), ranges_(ranges), known_(known) {}

  Range range(FormulaId id) const {
    if (!known_.empty() && known_[id].is_known) return Range::of(known_[id].number);
    const Formula& node = formulas_[id];
    switch (node.role) {
      case Formula::Role::constant:
        return Range::of(node.number);
      case Formula::Role::parameter:
        return ranges_[static_cast<std::size_t>(node.number)];
      case Formula::Role::unclear:
        return kAnything;
      case Formula::Role::operation:
        break;
    }
    return operation(node);
  }

 private:
  Range operation(const Formula& node) const {
    const Range left = range(node.places[0]);
    switch (node.op) {
      case Operator::negate:
        return negated(left);
      case Operator::absolute:
        if (left.low >= 0) return left;
        return left.high <= 0 ? negated(left) : combined(Operator::maximum, left, negated(left));
      case Operator::logical_not:
        return truth(!is_false(left), !is_true(left), left.always_has_result);
      case Operator::logical_and:
      case Operator::logical_or:
        return logical(node, left);
      case Operator::conditional:
        return conditional(node, left);
      default:
        break;
    }
    return combined(node.op, left, range(node.places[1]));
  }

  // The right side counts only if the left does not decide.
  Range logical(const Formula& node, const Range& left) const {
    const bool is_and = node.op == Operator::logical_and;
    if (is_and ? is_false(left) : is_true(left))
      return truth(is_and, !is_and, left.always_has_result);
    const Range right = range(node.places[1]);
    const bool has_result = left.always_has_result && right.always_has_result;
    if (is_and) return truth(!(is_true(left) && is_true(right)), !is_false(right), has_result);
    return truth(!is_true(right), !(is_false(left) && is_false(right)), has_result);
  }

  Range conditional(const Formula& node, const Range& condition) const {
    Range chosen = is_true(condition)    ? range(node.places[1])
                   : is_false(condition) ? range(node.places[2])
                                         : hull(range(node.places[1]), range(node.places[2]));
    chosen.always_has_result &= condition.always_has_result;
    return chosen;
  }

  const Formulas& formulas_;
  std::span<const Range> ranges_;
  std::span<const WorkedOut> known_;
};

}  // namespace

Range Range::of(std::int64_t number) {
  return {number, number, magnitude(number), true};
}

Range Range::of(std::span<const std::int64_t> numbers) {
  Range range = of(numbers.front());
  for (const std::int64_t number : numbers) range = hull(range, of(number));
  return range;
}

Outlook outlook(const Formulas& formulas, FormulaId id, std::span<const Range> ranges,
                std::span<const WorkedOut> known) {
  const Range range = Estimation(formulas, ranges, known).range(id);
  if (!range.always_has_result) return Outlook::open;
  if (is_true(range)) return Outlook::always_true;
  return is_false(range) ? Outlook::always_false : Outlook::open;
}

}  // namespace tilewright
