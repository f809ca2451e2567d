#include "tuner/space/formulas.hpp"

#include <algorithm>
#include <set>

#include "definition/expression/operators.hpp"

namespace tilewright {
namespace {

bool is_label(const Value& value) {
  return std::holds_alternative<std::string>(value);
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

Formulas::Formulas(const Implementation& implementation, const Bindings& bindings)
    : bindings_(bindings) {
  for (std::size_t i = 0; i < implementation.parameters.size(); ++i) {
    const std::vector<Value>& values = implementation.parameters[i].values;
    std::vector<std::int64_t>& domain = domains_.emplace_back();
    for (const Value& value : values) domain.push_back(number_of(value));
    const auto labels = std::count_if(values.begin(), values.end(), is_label);
    Formula parameter{Formula::Role::parameter, Operator::name, labels > 0};
    parameter.number = static_cast<std::int64_t>(i);
    parameters_.push_back(intern(parameter));
    const bool is_mixed = labels > 0 && static_cast<std::size_t>(labels) < values.size();
    if (!is_mixed) continue;
    const Formula mixed{Formula::Role::unclear, Operator::name, false, 1, {parameters_.back()}};
    parameters_.back() = intern(mixed);
  }
}

FormulaId Formulas::add(const ExpressionNode& expression) {
  if (expression.op == Operator::number) return constant(expression.number);
  if (expression.op == Operator::label) return constant(expression.text);
  if (expression.op == Operator::name) {
    const std::size_t depth = bindings_.depth_of(expression.text);
    if (depth > 0) return parameters_[depth - 1];
    const Value* const value = bindings_.find(expression.text);
    return value != nullptr ? constant(*value) : intern(Formula{Formula::Role::unclear});
  }
  if (expression.op == Operator::otherwise) {
    const bool is_known = bindings_.find(expression.children[0].text) != nullptr;
    return add(expression.children[is_known ? 0 : 1]);
  }
  std::vector<FormulaId> operands;
  for (const ExpressionNode& child : expression.children) operands.push_back(add(child));
  const bool is_list = expression.op == Operator::minimum || expression.op == Operator::maximum;
  if (!is_list) return operation(expression.op, operands);
  FormulaId result = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i)
    result = operation(expression.op, std::array{result, operands[i]});
  return result;
}

FormulaId Formulas::add_unless(std::size_t parameter, const Value& value,
                               const ExpressionNode& condition) {
  const FormulaId is_equal =
      operation(Operator::equal, std::array{parameters_[parameter], constant(value)});
  return operation(Operator::logical_or, std::array{is_equal, add(condition)});
}

std::int64_t Formulas::number_of(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  const auto next = static_cast<std::int64_t>(labels_.size());
  return labels_.emplace(std::get<std::string>(value), next).first->second;
}

FormulaId Formulas::constant(const Value& value) {
  Formula formula;
  formula.number = number_of(value);
  formula.is_label = is_label(value);
  return intern(formula);
}

FormulaId Formulas::operation(Operator op, std::span<const FormulaId> operands) {
  Formula formula{Formula::Role::operation, op};
  formula.operand_count = static_cast<std::uint32_t>(operands.size());
  std::ranges::copy(operands, formula.places.begin());
  const auto is_label = [&](FormulaId id) { return nodes_[id].is_label; };
  const auto labels = std::ranges::count_if(operands, is_label);
  if (op == Operator::equal || op == Operator::not_equal) {
    if (labels == 1) formula.role = Formula::Role::unclear;
  } else if (op == Operator::conditional) {
    formula.is_label = labels == 2 && !is_label(operands[0]);
    if (labels > 0 && !formula.is_label) formula.role = Formula::Role::unclear;
  } else if (labels > 0) {
    formula.role = Formula::Role::unclear;
  }
  return folded(intern(formula));
}

// The formula, or a constant if its value never changes.
FormulaId Formulas::folded(FormulaId id) {
  const Formula& formula = nodes_[id];
  Formula constant;
  constant.is_label = formula.is_label;
  const bool is_fixed = std::ranges::all_of(formula.operands(), [&](FormulaId operand) {
    return nodes_[operand].role == Formula::Role::constant;
  });
  return is_fixed && evaluate(id, {}, constant.number) ? intern(constant) : id;
}

FormulaId Formulas::intern(const Formula& formula) {
  const auto [known, is_new] = ids_.emplace(formula, static_cast<FormulaId>(nodes_.size()));
  if (is_new) nodes_.push_back(known->first);
  return known->second;
}

bool Formulas::evaluate(FormulaId id, std::span<const std::int64_t> values, std::int64_t& result,
                        std::span<const WorkedOut> known) const {
  if (!known.empty() && known[id].is_known) {
    result = known[id].number;
    return true;
  }
  const Formula& node = nodes_[id];
  if (node.role != Formula::Role::operation) {
    const bool is_parameter = node.role == Formula::Role::parameter;
    result = is_parameter ? values[static_cast<std::size_t>(node.number)] : node.number;
    return node.role != Formula::Role::unclear;
  }
  if (!evaluate(node.places[0], values, result, known)) return false;
  switch (node.op) {
    case Operator::negate:
      return apply(Operator::subtract, 0, result, result);
    case Operator::absolute:
      return result >= 0 || apply(Operator::subtract, 0, result, result);
    case Operator::logical_not:
      result = result == 0 ? 1 : 0;
      return true;
    case Operator::conditional:
      return evaluate(node.places[result != 0 ? 1 : 2], values, result, known);
    case Operator::logical_and:
    case Operator::logical_or:
      if ((result != 0) == (node.op == Operator::logical_and)) {
        if (!evaluate(node.places[1], values, result, known)) return false;
      }
      result = result != 0 ? 1 : 0;
      return true;
    default:
      break;
  }
  std::int64_t right = 0;
  return evaluate(node.places[1], values, right, known) && apply(node.op, result, right, result);
}

std::vector<std::size_t> parameters_below(const Formulas& formulas, FormulaId id) {
  std::set<std::size_t> parameters;
  std::set<FormulaId> seen;
  std::vector<FormulaId> left = {id};
  while (!left.empty()) {
    const FormulaId next = left.back();
    left.pop_back();
    if (!seen.insert(next).second) continue;
    const Formula& formula = formulas[next];
    if (formula.role == Formula::Role::parameter)
      parameters.insert(static_cast<std::size_t>(formula.number));
    left.insert(left.end(), formula.operands().begin(), formula.operands().end());
  }
  return {parameters.begin(), parameters.end()};
}

std::vector<std::size_t> depths_of(const Formulas& formulas,
                                   const std::vector<std::size_t>& bound_at) {
  std::vector<std::size_t> depths(formulas.size(), 0);
  for (FormulaId id = 0; id < formulas.size(); ++id) {
    const Formula& formula = formulas[id];
    if (formula.role == Formula::Role::parameter)
      depths[id] = bound_at[static_cast<std::size_t>(formula.number)];
    for (const FormulaId operand : formula.operands())
      depths[id] = std::max(depths[id], depths[operand]);
  }
  return depths;
}

Outlook outlook(const Formulas& formulas, FormulaId id, std::span<const Range> ranges,
                std::span<const WorkedOut> known) {
  const Range range = Estimation(formulas, ranges, known).range(id);
  if (!range.always_has_result) return Outlook::open;
  if (range.is_true()) return Outlook::always_true;
  return range.is_false() ? Outlook::always_false : Outlook::open;
}

}  // namespace tilewright
