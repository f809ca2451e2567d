#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "definition/definition.hpp"

namespace tilewright::test {

// What a space should be, found by evaluating the expression trees for every combination.
struct BruteForce {
  std::vector<Configuration> satisfying;     // in the manifest's order
  std::map<std::string, std::int64_t> cuts;  // by rule
  bool lacks_result = false;  // whether an applicable rule has no result for a combination
};

// One of the conditions of a space. Names other than parameters come from `problem`.
struct BruteRule {
  std::string name;
  Expression condition;
  std::optional<std::size_t> inactive;
  std::size_t last = 0;  // the last parameter that it mentions, counted from 1

  bool accepts(const Implementation& implementation, const Settings& values,
               const Settings& problem) const {
    if (inactive) {
      const Parameter& parameter = implementation.parameters[*inactive];
      if (values.at(parameter.name) == parameter.default_value) return true;
    }
    return condition.is_true(scope_over({&problem, &values}));
  }
};

inline std::vector<BruteRule> brute_rules(const Implementation& implementation) {
  std::vector<BruteRule> rules;
  const std::vector<Parameter>& parameters = implementation.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].active) rules.push_back({"inactive", *parameters[i].active, i, i + 1});
  for (const Constraint& constraint : implementation.constraints)
    rules.push_back({constraint.why.empty() ? constraint.require.text() : constraint.why,
                     constraint.require,
                     {},
                     0});
  for (BruteRule& rule : rules)
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (rule.condition.names().contains(parameters[i].name))
        rule.last = std::max(rule.last, i + 1);
  std::stable_sort(rules.begin(), rules.end(),
                   [](const BruteRule& a, const BruteRule& b) { return a.last < b.last; });
  return rules;
}

inline BruteForce brute_force(const Implementation& implementation, const Settings& problem) {
  BruteForce result;
  const std::vector<BruteRule> rules = brute_rules(implementation);
  const std::vector<Parameter>& parameters = implementation.parameters;
  std::vector<std::size_t> places(parameters.size(), 0);
  Settings values;
  for (;;) {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      values[parameters[i].name] = parameters[i].values[places[i]];
    try {
      const auto broken = std::find_if(rules.begin(), rules.end(), [&](const BruteRule& rule) {
        return !rule.accepts(implementation, values, problem);
      });
      if (broken == rules.end())
        result.satisfying.push_back({values});
      else
        ++result.cuts[broken->name];
    } catch (const ExpressionError&) {
      result.lacks_result = true;
    }
    std::size_t i = parameters.size();
    while (i > 0 && ++places[i - 1] == parameters[i - 1].values.size()) places[--i] = 0;
    if (i == 0) return result;
  }
}

}  // namespace tilewright::test
