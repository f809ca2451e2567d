#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "definition/problem.hpp"
#include "definition/text/suggest.hpp"
#include "tuner/space/space.hpp"

namespace tilewright {
namespace {

bool mentions_parameter(const Expression& rule, const Implementation& implementation) {
  const std::set<std::string> names = rule.names();
  return std::ranges::any_of(implementation.parameters,
                             [&](const Parameter& one) { return names.contains(one.name); });
}

bool holds(const Expression& rule, const Scope& scope) {
  try {
    return rule.is_true(scope);
  } catch (const ExpressionError&) {
    return false;
  }
}

// The rule that excludes the configuration; empty: none.
std::string broken_rule(const Implementation& implementation, const Configuration& configuration,
                        const Scope& scope, const std::optional<Expression>& where) {
  for (const Parameter& parameter : implementation.parameters) {
    const Value* const value = find_value(configuration, parameter);
    if (value == nullptr || !is_among(*value, parameter.values))
      return "the library's " + parameter.name + " is not among the manifest's values";
  }
  if (configuration.values.size() != implementation.parameters.size())
    return "the library describes it by parameters that the manifest does not have";
  for (const Constraint& constraint : implementation.constraints)
    if (!holds(constraint.require, scope)) return constraint.why;
  return where && !holds(*where, scope) ? "--where" : "";
}

// The parameters with the values that occur, in the order of the manifest's.
std::vector<Parameter> narrowed(std::vector<Parameter> parameters,
                                const std::vector<Configuration>& configurations) {
  for (Parameter& parameter : parameters) {
    const std::vector<Value> all = std::exchange(parameter.values, {});
    std::ranges::copy_if(all, std::back_inserter(parameter.values), [&](const Value& value) {
      return std::ranges::any_of(configurations, [&](const Configuration& one) {
        return one.values.at(parameter.name) == value;
      });
    });
  }
  return parameters;
}

}  // namespace

Space open_space(const Implementation& implementation, const Problem& problem,
                 const Device& device) {
  const Scope scope = full_scope(problem, device);
  Space space;
  for (const Constraint& constraint : implementation.constraints)
    if (!mentions_parameter(constraint.require, implementation) &&
        !holds(constraint.require, scope)) {
      space.combinations = 1;  // all that the library could list, which nobody asks it for
      space.cuts = {{constraint.why, 1, ""}};
      return space;
    }
  space.is_open = true;
  return space;
}

Space listed_space(const Implementation& implementation, const Problem& problem,
                   const Device& device, const RoutineList& list,
                   const std::optional<Expression>& where) {
  Space space;
  space.combinations = static_cast<std::int64_t>(list.configurations.size());
  if (list.configurations.empty()) {
    space.combinations = 1;
    space.cuts = {{list.why, 1, ""}};
  }
  std::vector<Configuration> legal;
  for (const auto& numbers : list.configurations) {
    Configuration configuration;
    for (const auto& [name, number] : numbers) configuration.values.emplace(name, number);
    const Scope scope = full_scope(problem, configuration, device);
    const std::string broken = broken_rule(implementation, configuration, scope, where);
    if (broken.empty())
      legal.push_back(std::move(configuration));
    else
      add_cut(space.cuts, {broken, 1, to_text(configuration.values)});
  }
  constexpr std::size_t kFirst = 16;
  for (std::size_t i = 0; i < std::min(kFirst, legal.size()); ++i) space.first.push_back(legal[i]);
  const Radix radix(narrowed(implementation.parameters, legal));
  std::vector<Code> codes;
  for (const Configuration& one : legal) codes.push_back(radix.code(one).value());
  std::ranges::sort(codes);
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  space.satisfying = space.listed = static_cast<std::int64_t>(codes.size());
  space.legal = Configurations(radix, std::move(codes));
  return space;
}

}  // namespace tilewright
