#include "tuner/sweep/inspector.hpp"

#include "tuner/sweep/code_check.hpp"
#include "tuner/sweep/session_plan.hpp"

namespace tilewright {
namespace {

void fail(Trial& trial, const Failure& failure) {
  trial.outcome = failure.outcome;
  trial.message = failure.message;
}

}  // namespace

KernelPlan Inspector::plan(const Candidate& candidate, const CompileResult& code) const {
  return plan_kernel(request_, *candidate.implementation, candidate.configuration, problems_, code);
}

Inspected Inspector::inspect(const Candidate& candidate, const CompileResult& code) {
  Inspected inspected;
  Trial& trial = inspected.trial;
  trial.implementation = candidate.implementation->full_name();
  trial.configuration = candidate.configuration;
  trial.code_hash = code.code_hash;
  trial.compile_ms = code.milliseconds;
  if (!code.ok()) {
    fail(trial, {code.outcome, code.log});
    return inspected;
  }
  KernelPlan kernel = plan(candidate, code);
  const LaunchPlan& launches = kernel.launches.front();
  if (const auto failure = missing_entry_failure(launches, code)) {
    fail(trial, *failure);
    return inspected;
  }
  if (prune(trial, launches, code)) return inspected;
  const auto [first, is_new] =
      seen_.emplace(launch_key(code.code_hash, launches), to_text(candidate.configuration.values));
  if (!is_new && !candidate.is_default()) {
    trial.outcome = Outcome::duplicate;
    trial.message = "same code and launch as " + first->second;
    return inspected;
  }
  inspected.kernel = std::move(kernel);
  return inspected;
}

bool Inspector::prune(Trial& trial, const LaunchPlan& launches, const CompileResult& code) const {
  const auto all = resources_by_launch(launches, code, request_.backend, request_.device);
  trial.resources = costliest(all);
  for (const Resources& resources : all) {
    const auto broken = resource_violation(resources, request_.device, request_.floor);
    if (!broken) continue;
    trial.resources = resources;
    trial.outcome = Outcome::pruned;
    trial.rule = broken->rule;
    trial.message = broken->message;
    return true;
  }
  return false;
}

std::string Inspector::key(const Candidate& candidate, const std::string& code_hash) const {
  return launch_key(code_hash, plan_problem(request_, *candidate.implementation,
                                            candidate.configuration, problems_.front()));
}

void Inspector::remember(const Candidate& candidate, const Trial& trial) {
  if (trial.code_hash.empty() || trial.outcome == Outcome::duplicate) return;
  seen_.emplace(key(candidate, trial.code_hash), to_text(candidate.configuration.values));
}

}  // namespace tilewright
