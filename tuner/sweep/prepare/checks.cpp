#include "tuner/sweep/prepare/checks.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/space/limits.hpp"

namespace tilewright {

namespace {

// What the macros of units use. Names of parameters among them do no harm.
std::set<std::string> names_in_units(const SweepRequest& request) {
  std::set<std::string> names;
  for (const Implementation* implementation : request.implementations)
    for (const SourceUnit& unit : implementation->units)
      for (const auto& [name, value] : unit.macros) names.merge(value.names());
  return names;
}

// What every configuration of some implementation compiles in. `sometimes` adds what only some
// configurations compile in.
enum class Fixed { always, sometimes };
std::set<std::string> compiled_in_names(const SweepRequest& request, Fixed which) {
  std::set<std::string> names;
  for (const Implementation* implementation : request.implementations)
    for (const CompiledIn& item : implementation->compiled_in)
      if (which == Fixed::sometimes || item.when.names().empty()) names.insert(item.name);
  names.insert(request.operation->reference.compiled_in.begin(),
               request.operation->reference.compiled_in.end());
  if (which == Fixed::sometimes) names.merge(names_in_units(request));
  return names;
}

// Nothing if the expression has no result; then no unit with that macro is launched.
std::optional<Value> result_of(const Expression& macro, const Scope& scope) {
  try {
    return macro.value(scope);
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

// Whether the code that is compiled for the tuned problem is right for `problem` too.
bool shares_code(const SweepRequest& request, const Implementation& implementation,
                 const Configuration& configuration, const Problem& problem) {
  const Scope scope = full_scope(request.problem, configuration, request.device);
  const Scope other = full_scope(problem, configuration, request.device);
  const auto has_same_macros = [&](const SourceUnit& unit) {
    return std::ranges::all_of(unit.macros, [&](const auto& macro) {
      return result_of(macro.second, scope) == result_of(macro.second, other);
    });
  };
  return std::ranges::all_of(implementation.units, has_same_macros) &&
         std::ranges::all_of(implementation.compiled_in, [&](const CompiledIn& item) {
           return !item.when.is_true(scope) ||
                  find_value(*request.operation, problem, item.name) ==
                      find_value(*request.operation, request.problem, item.name);
         });
}

// The tuned problem with the check's values; its types stay. Nothing if the values that stay,
// because they are compiled in, make it invalid. Throws InputError if the check is always invalid.
std::optional<Problem> check_problem(const SweepRequest& request, const Settings& check,
                                     const std::set<std::string>& fixed) {
  Settings values = request.problem.values;
  bool is_whole = true;
  for (const auto& [name, value] : check) {
    is_whole &= !fixed.contains(name);
    if (!fixed.contains(name)) values[name] = value;
  }
  try {
    return make_problem(*request.operation, values, request.device);
  } catch (const InputError&) {
    if (is_whole) throw;
    return std::nullopt;
  }
}

// Calls visit(check, problem) for each problem that a check makes: with the values that all
// configurations compile in, then with those that some do.
void for_each_check(const SweepRequest& request, const auto& visit) {
  for (const Fixed which : {Fixed::always, Fixed::sometimes}) {
    const std::set<std::string> fixed = compiled_in_names(request, which);
    for (const Settings& check : request.operation->checks)
      if (const auto problem = check_problem(request, check, fixed)) visit(check, *problem);
  }
}

}  // namespace

LaunchPlan plan_problem(const SweepRequest& request, const Implementation& implementation,
                        const Configuration& configuration, const Problem& problem) {
  const Scope scope = full_scope(problem, configuration, request.device);
  return plan_launches(*request.operation, implementation, scope);
}

LaunchPlan plan_check(const SweepRequest& request, const Implementation& implementation,
                      const Configuration& configuration, const Problem& problem) {
  try {
    if (!shares_code(request, implementation, configuration, problem)) return {};
    const Scope scope = full_scope(problem, configuration, request.device);
    if (!std::ranges::all_of(implementation.constraints,
                             [&](const Constraint& rule) { return rule.require.is_true(scope); }))
      return {};
    LaunchPlan plan = plan_problem(request, implementation, configuration, problem);
    if (static_violation(implementation, plan, scope, request.device)) return {};
    return plan;
  } catch (const InputError&) {
    return {};
  } catch (const ExpressionError&) {
    return {};
  }
}

bool has_reference(const Operation& operation) {
  return !operation.reference.builtin.empty() || !operation.reference.source.empty();
}

std::vector<Problem> problems_to_verify(const SweepRequest& request) {
  std::vector<Problem> problems = {request.problem};
  if (!has_reference(*request.operation)) return problems;
  for_each_check(request, [&problems](const Settings&, const Problem& problem) {
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(problem);
  });
  return problems;
}

std::vector<Settings> impossible_checks(const SweepRequest& request) {
  if (!has_reference(*request.operation)) return {};
  std::vector<Settings> impossible = request.operation->checks;
  for_each_check(request, [&impossible](const Settings& check, const Problem&) {
    std::erase(impossible, check);
  });
  return impossible;
}

}  // namespace tilewright
