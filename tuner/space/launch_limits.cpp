// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/space/launch_limits.hpp"

#include <algorithm>
#include <set>

namespace tilewright {
namespace {

const Argument* find_argument(const Operation& operation, const std::string& name) {
  const auto found = std::find_if(operation.arguments.begin(), operation.arguments.end(),
                                  [&](const Argument& argument) { return argument.name == name; });
  return found == operation.arguments.end() ? nullptr : &*found;
}

void add_argument(std::vector<Expression>& expressions, const Operation& operation,
                  const LaunchArgument& argument) {
  const Argument* const named = find_argument(operation, argument.name);
  if (argument.kind != LaunchArgument::Kind::argument) {
    expressions.push_back(argument.value);
    if (argument.kind == LaunchArgument::Kind::by_value && named != nullptr)
      expressions.push_back(named->count);
  } else if (named == nullptr) {
    expressions.push_back(Expression::parse(argument.name));
  }
}

// All that plan_launches and static_violation evaluate.
std::vector<Expression> expressions_of(const Operation& operation,
                                       const Implementation& implementation) {
  std::vector<Expression> expressions = {implementation.workspace.bytes,
                                         implementation.estimate.shared_bytes,
                                         implementation.estimate.registers};
  for (const Launch& launch : implementation.launches) {
    expressions.push_back(launch.when);
    for (const auto& extent : {launch.grid, launch.block, launch.cluster})
      expressions.insert(expressions.end(), extent.begin(), extent.end());
    expressions.push_back(launch.shared_bytes);
    for (const LaunchArgument& argument : launch.arguments)
      add_argument(expressions, operation, argument);
  }
  return expressions;
}

}  // namespace

LaunchLimits::LaunchLimits(const Operation& operation, const Implementation& implementation,
                           Formulas& formulas)
    : formulas_(formulas) {
  std::set<FormulaId> numbers;
  std::set<std::size_t> parameters;
  for (const Expression& expression : expressions_of(operation, implementation)) {
    const FormulaId id = formulas.add(expression.root());
    const std::vector<std::size_t> below = parameters_below(formulas, id);
    parameters.insert(below.begin(), below.end());
    if (formulas[id].role != Formula::Role::constant) numbers.insert(id);
  }
  numbers_.assign(numbers.begin(), numbers.end());
  parameters_.assign(parameters.begin(), parameters.end());
}

const std::optional<Violation>& LaunchLimits::violation(
    std::span<const std::int64_t> values, const std::function<std::optional<Violation>()>& judge) {
  key_.clear();
  for (const FormulaId number : numbers_)
    if (!formulas_.evaluate(number, values, key_.emplace_back())) return unknown_ = judge();
  const std::uint32_t known = known_.number_of(key_);
  if (known == verdicts_.size()) verdicts_.push_back(judge());
  return verdicts_[known];
}

}  // namespace tilewright
