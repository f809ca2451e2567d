#include "tuner/space/ranges.hpp"

namespace tilewright {
namespace {

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
        return truth(!left.is_false(), !left.is_true(), left.always_has_result);
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
    if (is_and ? left.is_false() : left.is_true())
      return truth(is_and, !is_and, left.always_has_result);
    const Range right = range(node.places[1]);
    const bool has_result = left.always_has_result && right.always_has_result;
    if (is_and) return truth(!(left.is_true() && right.is_true()), !right.is_false(), has_result);
    return truth(!right.is_true(), !(left.is_false() && right.is_false()), has_result);
  }

  Range conditional(const Formula& node, const Range& condition) const {
    Range chosen = condition.is_true()    ? range(node.places[1])
                   : condition.is_false() ? range(node.places[2])
                                          : hull(range(node.places[1]), range(node.places[2]));
    chosen.always_has_result &= condition.always_has_result;
    return chosen;
  }

  const Formulas& formulas_;
  std::span<const Range> ranges_;
  std::span<const WorkedOut> known_;
};

}  // namespace

Outlook outlook(const Formulas& formulas, FormulaId id, std::span<const Range> ranges,
                std::span<const WorkedOut> known) {
  const Range range = Estimation(formulas, ranges, known).range(id);
  if (!range.always_has_result) return Outlook::open;
  if (range.is_true()) return Outlook::always_true;
  return range.is_false() ? Outlook::always_false : Outlook::open;
}

}  // namespace tilewright
