#include "tuner/sweep/prepare/inspector.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "definition/problem.hpp"
#include "definition/text/hash.hpp"
#include "tuner/backend/notes.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/ready_plan.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright {
namespace {

// Texts and lists follow their length, so that different plans never give the same key.
template <class T>
void append_key(std::string& key, const T& value) {
  if constexpr (HasFields<T>) {
    for_each_field(value, [&key](const char*, const auto& member) { append_key(key, member); });
  } else if constexpr (std::same_as<T, Settings>) {
    append_key(key, canonical_json(value));
  } else if constexpr (std::same_as<T, std::string>) {
    key += fmt::format("{}:{}", value.size(), value);
  } else if constexpr (std::ranges::range<T>) {
    key += fmt::format("{}:", value.size());
    for (const auto& element : value) append_key(key, element);
  } else {
    key += fmt::format("{};", static_cast<std::int64_t>(value));
  }
}

// As a kernel takes them.
std::vector<std::int64_t> argument_bytes(const Operation& operation, const Problem& problem) {
  const Scope scope = scope_over({&problem.values});
  std::vector<std::int64_t> bytes;
  for (const Argument& one : operation.arguments) {
    const auto size = static_cast<std::int64_t>(size_of(type_of(one, scope)));
    bytes.push_back(one.kind == ArgumentKind::buffer  ? static_cast<std::int64_t>(sizeof(void*))
                    : one.kind == ArgumentKind::array ? one.capacity * size
                                                      : size);
  }
  return bytes;
}

void fail(Trial& trial, const Failure& failure) {
  trial.outcome = failure.outcome;
  trial.message = failure.message;
}

// Of a compiled trial, or one that did not compile: its resources tell it from those that were
// never compiled.
void rule_out(Trial& trial, const Violation& violation) {
  trial.outcome = Outcome::pruned;
  trial.rule = violation.rule;
  trial.message = violation.message;
}

}  // namespace

std::optional<Failure> missing_entry_failure(const LaunchPlan& plan, const CompileResult& code) {
  const auto missing = std::ranges::find_if_not(
      plan.launches, [&](const std::string& entry) { return code.entries.contains(entry); },
      &PlannedLaunch::entry);
  if (missing == plan.launches.end()) return std::nullopt;
  const std::string note = entry_note(code.log, missing->entry);
  return Failure{
      Outcome::compile_failed,
      (note.empty() ? "the code has no kernel '" + missing->entry + "'" : note) + '\n' + code.log};
}

std::optional<Failure> parameters_failure(const SweepRequest& request, const LaunchPlan& plan,
                                          const CompileResult& code) {
  if (!request.backend.kernel_parameters) return std::nullopt;
  const std::vector<std::int64_t> sizes = argument_bytes(*request.operation, request.problem);
  LaunchPlan once = plan;  // the parameters of a launch are the same in every trip
  for (PlannedLoop& loop : once.loops) loop.trips = 1;
  for (const PlannedLaunch& launch : with_trips(std::move(once)).launches) {
    const auto entry = code.entries.find(launch.entry);
    if (entry == code.entries.end()) continue;
    const auto declared = request.backend.kernel_parameters(code.code, entry->second.symbol);
    if (!declared) continue;
    if (const auto error = parameters_error(launch, *declared, sizes))
      return Failure{Outcome::launch_failed, *error};
  }
  return std::nullopt;
}

std::vector<Resources> resources_by_launch(const LaunchPlan& plan, const CompileResult& code,
                                           const BackendFacts& backend, const Device& device) {
  std::vector<Resources> all;
  for (const PlannedLaunch& launch : plan.launches) {
    const auto entry = code.entries.find(launch.entry);
    if (entry == code.entries.end()) continue;
    Resources resources = entry->second.resources;
    if (launch.entry == kEvaluatorEntry) {  // it says itself what it knows
      all.push_back(resources);
      continue;
    }
    resources.threads = static_cast<int>(volume(launch.block));
    if (resources.shared_bytes >= 0) resources.shared_bytes += launch.shared_bytes;
    if (backend.add_occupancy && resources.registers >= 0) backend.add_occupancy(resources, device);
    all.push_back(resources);
  }
  return all;
}

std::string launch_key(const std::string& code_hash, const LaunchPlan& plan) {
  std::string key = code_hash + '/';
  append_key(key, plan);
  return hex_hash(key);
}

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
  if (const auto remark = remark_violation(*candidate.implementation, code.log)) {
    trial.resources = costliest(resources_by_launch(plan(candidate, code).launches.front(), code,
                                                    request_.backend, request_.device));
    rule_out(trial, *remark);
    return inspected;
  }
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
  if (const auto failure = parameters_failure(request_, launches, code)) {
    fail(trial, *failure);
    return inspected;
  }
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
    rule_out(trial, *broken);
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

namespace {

// What a process prepares in place of a compile (tuner/worker/evaluator_session.hpp). The hash of
// the files tells its code from that of another version.
CompileRequest preparation(const SweepRequest& request, const KernelSource& source,
                           const Candidate& candidate) {
  CompileRequest prepare;
  prepare.source = canonical_json(candidate.configuration.values);
  prepare.source_name = source.name;
  prepare.headers = {{"operation", request.operation->name},
                     {"problem", canonical_json(request.problem.values)},
                     {"device", std::to_string(request.device_index)}};
  prepare.options = {source.hash};
  prepare.entries = {kEvaluatorEntry};
  return prepare;
}

}  // namespace

bool has_architecture(const SweepRequest& request, const Implementation& implementation) {
  return architecture_for(implementation, request.backend.architecture).has_value();
}

CompileRequest compile_request(const SweepRequest& request, const KernelSource& source,
                               const Candidate& candidate) {
  const Implementation& implementation = *candidate.implementation;
  if (implementation.is_evaluator()) return preparation(request, source, candidate);
  const Scope scope = full_scope(request.problem, candidate.configuration, request.device);
  const auto architecture = architecture_for(implementation, request.backend.architecture);
  return make_compile_request(source, implementation, *request.operation, request.problem,
                              candidate.configuration, scope, architecture.value());
}

Trial unsupported_trial(const SweepRequest& request, const Candidate& candidate) {
  Trial trial;
  trial.implementation = candidate.implementation->full_name();
  trial.configuration = candidate.configuration;
  trial.outcome = Outcome::unsupported;
  trial.message = "needs " + candidate.implementation->requires_architecture + "; the device is " +
                  request.backend.architecture;
  return trial;
}

}  // namespace tilewright
