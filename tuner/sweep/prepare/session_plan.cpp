#include "tuner/sweep/prepare/session_plan.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "definition/problem.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/space/limits.hpp"

namespace tilewright {
namespace {

// The right answers that the caller gave instead of a reference.
std::map<int, std::string> given_answers_for(const GivenData& given,
                                             const std::vector<PlannedBuffer>& buffers) {
  std::map<int, std::string> files;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (const auto file = given.expected.find(buffers[i].name); file != given.expected.end())
      files[static_cast<int>(i)] = file->second.string();
  return files;
}

void use_given(const GivenData& given, SessionProblem& tuned) {
  for (PlannedBuffer& buffer : tuned.buffers)
    if (const auto file = given.inputs.find(buffer.name); file != given.inputs.end())
      buffer.fill = {.kind = Fill::Kind::file, .file = file->second};
  std::erase_if(tuned.fills, [&](const FillPlan& fill) {
    return given.inputs.contains(tuned.buffers[static_cast<std::size_t>(fill.argument)].name);
  });
  tuned.reference.given = given_answers_for(given, tuned.buffers);
  if (!tuned.reference.given.empty()) tuned.reference.code.clear();
}

ReferencePlan plan_reference(const SweepRequest& request, const Scope& scope,
                             const CompileResult& code) {
  const Operation& operation = *request.operation;
  ReferencePlan plan;
  plan.builtin = operation.reference.builtin;
  plan.comparison = plan_comparison(operation.comparison, scope);
  if (plan.builtin.empty() && has_reference(operation)) {
    plan.code = code.code;
    plan.symbols = symbols_of(code);
    plan.launches = plan_launches(operation, operation.reference, scope);
  }
  return plan;
}

std::vector<FillPlan> plan_fills(const SweepRequest& request,
                                 const std::vector<PlannedBuffer>& buffers, const Scope& scope,
                                 const FillCode& fills) {
  std::vector<FillPlan> plans;
  for (auto& [argument, launches] : fill_launches(*request.operation, buffers, scope)) {
    const std::string& name = buffers[static_cast<std::size_t>(argument)].name;
    const auto code = fills.find(name);
    if (code == fills.end())
      throw InputError("the kernel that fills '" + name + "' is not compiled");
    plans.push_back({argument, code->second.code, symbols_of(code->second), launches});
  }
  return plans;
}

// What the code of an implementation is compiled for: of every configuration, or with `sometimes`
// also of some, and what macros use. Names of parameters among them do no harm.
enum class Fixed { always, sometimes };
std::set<std::string> compiled_in_names(const Implementation& implementation,
                                        const Operation& operation, Fixed which) {
  std::set<std::string> names(operation.reference.compiled_in.begin(),
                              operation.reference.compiled_in.end());
  for (const CompiledIn& item : implementation.compiled_in) {
    if (which == Fixed::sometimes || item.when.names().empty()) names.insert(item.name);
    if (which == Fixed::sometimes && item.term) names.merge(item.term->names());
  }
  if (which == Fixed::sometimes)
    for (const SourceUnit& unit : implementation.units)
      for (const auto& [name, value] : unit.macros) names.merge(value.names());
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
  if (implementation.is_routine()) return false;  // its configurations are those of one problem
  const Scope scope = full_scope(request.problem, configuration, request.device);
  const Scope other = full_scope(problem, configuration, request.device);
  const auto has_same_result = [&](const Expression& macro) {
    return result_of(macro, scope) == result_of(macro, other);
  };
  const auto has_same_macros = [&](const SourceUnit& unit) {
    return std::ranges::all_of(unit.macros,
                               [&](const auto& macro) { return has_same_result(macro.second); });
  };
  return std::ranges::all_of(implementation.units, has_same_macros) &&
         std::ranges::all_of(implementation.compiled_in, [&](const CompiledIn& item) {
           if (!item.when.is_true(scope)) return true;
           if (item.term) return has_same_result(*item.term);
           return find_value(*request.operation, problem, item.name) ==
                  find_value(*request.operation, request.problem, item.name);
         });
}

std::int64_t elements_of(const SweepRequest& request, const Problem& problem) {
  std::int64_t elements = 0;
  for (const PlannedBuffer& buffer :
       plan_buffers(*request.operation, full_scope(problem, request.device)))
    elements += buffer.count;
  return elements;
}

// A check that keeps some of the tuned values may take longer than the tuned problem itself, but
// not if it has more elements than these.
constexpr std::int64_t kMostOfALargerCheck = 4'000'000;

// The tuned problem with the check's values; its types stay. Of a check that would be too large no
// number is greater than the tuned one. Nothing if the values that stay, because they are compiled
// in, make it invalid. Throws InputError if the check is always invalid.
std::optional<Problem> check_problem(const SweepRequest& request, const Settings& check,
                                     const std::set<std::string>& fixed) {
  const Settings& tuned = request.problem.values;
  Settings values = tuned;
  bool is_whole = true;
  for (const auto& [name, value] : check) {
    is_whole &= !fixed.contains(name);
    if (!fixed.contains(name)) values[name] = value;
  }
  try {
    Problem problem = make_problem(*request.operation, values, request.device);
    if (is_whole || elements_of(request, problem) <=
                        std::max(kMostOfALargerCheck, elements_of(request, request.problem)))
      return problem;
    for (const auto& [name, value] : tuned)
      if (std::holds_alternative<std::int64_t>(value)) values[name] = std::min(values[name], value);
    return make_problem(*request.operation, values, request.device);
  } catch (const InputError&) {
    if (is_whole) throw;
    return std::nullopt;
  }
}

// Calls visit(problem) for each problem that the check makes, those that keep the fewest values
// first: for each implementation with the values that all its configurations compile in, then with
// those that some do. Until `visit` returns true.
void for_each_problem(const SweepRequest& request, const Settings& check, const auto& visit) {
  for (const Fixed which : {Fixed::always, Fixed::sometimes})
    for (const Implementation* implementation : request.implementations) {
      const auto fixed = compiled_in_names(*implementation, *request.operation, which);
      const auto problem = check_problem(request, check, fixed);
      if (problem && visit(*problem)) return;
    }
}

// Whether answers of other problems than the tuned one are compared too.
bool has_checks(const SweepRequest& request) {
  return has_reference(*request.operation) && !request.evaluator.is_timed_by_author();
}

// A configuration's launches on one of the checks. Empty if the configuration cannot compute it.
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

}  // namespace

std::map<std::string, std::string> symbols_of(const CompileResult& code) {
  std::map<std::string, std::string> symbols;
  for (const auto& [name, entry] : code.entries) symbols[name] = entry.symbol;
  return symbols;
}

SessionPlan plan_session(const SweepRequest& request, const std::vector<Problem>& problems,
                         const CompileResult& reference_code, std::vector<std::uint8_t> probe_code,
                         const FillCode& fills) {
  SessionPlan session;
  session.device_index = request.device_index;
  session.cache = screening_policy(request.policy.cache);
  session.seed = request.seed;
  session.probe_code = std::move(probe_code);
  if (request.evaluator.is_timed_by_author()) {  // it makes its operands and references itself
    session.problems.push_back({.problem = problems.front(), .buffers = {}, .reference = {}});
    return session;
  }
  for (const Problem& problem : problems) {
    const Scope scope = full_scope(problem, request.device);
    SessionProblem item;
    item.problem = problem;
    item.buffers = plan_buffers(*request.operation, scope);
    item.reference = plan_reference(request, scope, reference_code);
    item.fills = plan_fills(request, item.buffers, scope, fills);
    session.problems.push_back(std::move(item));
  }
  use_given(request.given, session.problems.front());
  return session;
}

KernelPlan plan_kernel(const SweepRequest& request, const Implementation& implementation,
                       const Configuration& configuration, const std::vector<Problem>& problems,
                       const CompileResult& code) {
  KernelPlan kernel;
  kernel.code = code.code;
  kernel.symbols = symbols_of(code);
  kernel.launches.resize(problems.size());
  kernel.launches.front() = plan_problem(request, implementation, configuration, problems.front());
  for (const Settings& check : request.operation->checks)
    for_each_problem(request, check, [&](const Problem& problem) {
      const auto place = std::ranges::find(problems, problem);
      if (place == problems.end()) return false;
      LaunchPlan& plan = kernel.launches[static_cast<std::size_t>(place - problems.begin())];
      if (plan.is_empty()) plan = plan_check(request, implementation, configuration, problem);
      return !plan.is_empty();
    });
  return kernel;
}

std::map<int, LaunchPlan> fill_launches(const Operation& operation,
                                        const std::vector<PlannedBuffer>& buffers,
                                        const Scope& scope) {
  std::map<int, LaunchPlan> launches;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const auto fill = operation.kernel_fills.find(buffers[i].name);
    if (fill == operation.kernel_fills.end() || buffers[i].count == 0 ||
        buffers[i].kind != ArgumentKind::buffer || buffers[i].role == ArgumentRole::output)
      continue;
    launches.emplace(static_cast<int>(i),
                     plan_launches(operation, fill->second.launches, Workspace{}, scope));
  }
  return launches;
}

LaunchPlan plan_problem(const SweepRequest& request, const Implementation& implementation,
                        const Configuration& configuration, const Problem& problem) {
  const Scope scope = full_scope(problem, configuration, request.device);
  return plan_launches(*request.operation, implementation, scope);
}

bool has_reference(const Operation& operation) {
  return !operation.reference.builtin.empty() || !operation.reference.source.empty();
}

std::vector<Problem> problems_to_verify(const SweepRequest& request) {
  std::vector<Problem> problems = {request.problem};
  if (!has_checks(request)) return problems;
  for (const Settings& check : request.operation->checks)
    for_each_problem(request, check, [&](const Problem& problem) {
      if (!is_among(problem, problems)) problems.push_back(problem);
      return false;
    });
  return problems;
}

std::vector<Settings> impossible_checks(const SweepRequest& request) {
  if (!has_checks(request)) return {};
  std::vector<Settings> impossible = request.operation->checks;
  std::erase_if(impossible, [&](const Settings& check) {
    bool is_possible = false;
    for_each_problem(request, check, [&](const Problem&) { return is_possible = true; });
    return is_possible;
  });
  return impossible;
}

}  // namespace tilewright
