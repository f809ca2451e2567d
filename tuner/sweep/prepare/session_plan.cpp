#include "tuner/sweep/prepare/session_plan.hpp"

#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tuner/sweep/prepare/checks.hpp"

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
  const Configuration none;
  for (const Problem& problem : problems) {
    const Scope scope = full_scope(problem, none, request.device);
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
  kernel.launches.push_back(plan_problem(request, implementation, configuration, problems.front()));
  for (std::size_t i = 1; i < problems.size(); ++i)
    kernel.launches.push_back(plan_check(request, implementation, configuration, problems[i]));
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

}  // namespace tilewright
