#include "definition/expression/program.hpp"

#include <algorithm>

#include "definition/expression/operators.hpp"

namespace tilewright {

void Program::declare(const std::string& name, Changes changes) {
  known_[name] = static_cast<Id>(nodes_.size());
  nodes_.push_back({Operator::name, 0, {}, changes == Changes::often});
}

void Program::define(const std::string& name, const Expression& expression) {
  known_[name] = add(expression);
}

Program::Id Program::add(const Expression& expression) {
  return add(expression.root());
}

std::int64_t Program::add_label(const std::string& label) {
  return labels_.emplace(label, static_cast<std::int64_t>(labels_.size())).first->second;
}

std::optional<std::int64_t> Program::number_of(const Value& value) const {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  const auto known = labels_.find(std::get<std::string>(value));
  return known == labels_.end() ? std::nullopt : std::optional(known->second);
}

Program::Id Program::add(const ExpressionNode& node) {
  if (node.op == Operator::name) return known_.at(node.text);
  if (node.op == Operator::number) return intern({node.op, node.number});
  if (node.op == Operator::label) return intern({Operator::number, add_label(node.text)});
  std::vector<Id> operands;
  for (const ExpressionNode& child : node.children) operands.push_back(add(child));
  const bool is_list = node.op == Operator::minimum || node.op == Operator::maximum;
  if (!is_list) return intern(node.op, operands);
  Id result = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) result = intern(node.op, {result, operands[i]});
  return result;
}

Program::Id Program::intern(Operator op, const std::vector<Id>& operands) {
  Node node{op};
  std::ranges::copy(operands, node.operands.begin());
  node.changes_often = std::ranges::any_of(operands, [this](Id id) { return changes_often(id); });
  return intern(node);
}

Program::Id Program::intern(const Node& node) {
  const auto [known, is_new] = ids_.emplace(node, static_cast<Id>(nodes_.size()));
  if (is_new) {
    if (!node.changes_often) seldom_.push_back(known->second);
    nodes_.push_back(node);
  }
  return known->second;
}

// Operands have smaller places than what they are part of.
Program::Steps Program::steps_for(const std::vector<Id>& wanted) const {
  std::vector<bool> is_needed(nodes_.size());
  for (const Id id : wanted) is_needed[id] = true;
  Steps steps;
  for (std::size_t id = nodes_.size(); id-- > 0;) {
    const Node& node = nodes_[id];
    if (!is_needed[id] || !node.changes_often || node.op == Operator::name) continue;
    steps.push_back(static_cast<Id>(id));
    for (const Id operand : node.operands) is_needed[operand] = true;
  }
  std::ranges::reverse(steps);
  return steps;
}

void Program::Evaluation::work_out(const Steps& steps) {
  for (const Id id : steps) results_[id] = result_of(program_.nodes_[id]);
}

Program::Result Program::Evaluation::result_of(const Node& node) const {
  const Result& first = results_[node.operands[0]];
  const Result& second = results_[node.operands[1]];
  Arithmetic e;
  switch (node.op) {
    case Operator::number:
      return {node.number, true};
    case Operator::otherwise:
      return first.is_known ? first : second;
    case Operator::conditional:
      return first.is_known ? first.number != 0 ? second : results_[node.operands[2]] : Result{};
    case Operator::logical_and:
    case Operator::logical_or:
      if (first.is_known && (first.number != 0) == (node.op == Operator::logical_or))
        return {first.number != 0 ? 1 : 0, true};
      return {second.number != 0 ? 1 : 0, first.is_known && second.is_known};
    case Operator::logical_not:
      return {first.number == 0 ? 1 : 0, first.is_known};
    case Operator::negate:
      return {e.negate(first.number), e.ok && first.is_known};
    case Operator::absolute:
      return {e.absolute(first.number), e.ok && first.is_known};
    default:
      break;
  }
  const std::int64_t number = apply(node.op, first.number, second.number, e);
  return {number, e.ok && first.is_known && second.is_known};
}

}  // namespace tilewright
