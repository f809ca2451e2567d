// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/sweep/judge.hpp"

#include <limits>

#include "tuner/sweep/code_check.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/session_plan.hpp"

namespace tilewright {
namespace {

constexpr int kTrialsBetweenAnchors = 50;

void fail(Trial& trial, const Failure& failure) {
  trial.outcome = failure.outcome;
  trial.message = failure.message;
  trial.timing.reset();
}

}  // namespace

KernelPlan Judge::plan(const Candidate& candidate, const CompileResult& code) const {
  return plan_kernel(request_, *candidate.implementation, candidate.configuration, problems_, code);
}

Trial Judge::screen(const Candidate& candidate, const CompileResult& code) {
  Trial trial;
  trial.implementation = candidate.implementation->full_name();
  trial.configuration = candidate.configuration;
  trial.code_hash = code.code_hash;
  trial.compile_ms = code.milliseconds;
  if (!code.ok()) {
    fail(trial, {code.outcome, code.log});
    return trial;
  }
  const KernelPlan kernel = plan(candidate, code);
  const LaunchPlan& launches = kernel.launches.front();
  if (const auto failure = missing_entry_failure(launches, code)) {
    fail(trial, *failure);
    return trial;
  }
  if (prune(trial, launches, code)) return trial;
  const auto [first, is_new] =
      seen_.emplace(launch_key(code.code_hash, launches), to_text(candidate.configuration.values));
  if (!is_new) {
    trial.outcome = Outcome::duplicate;
    trial.message = "same code and launch as " + first->second;
    return trial;
  }
  run(trial, kernel, race(), Verify::yes);
  if (trial.timing) {
    note_time(trial);
    follow_anchor(trial, kernel);
  }
  return trial;
}

bool Judge::prune(Trial& trial, const LaunchPlan& launches, const CompileResult& code) const {
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

// Samples until a configuration that cannot win is given up.
SampleRequest Judge::race() const {
  SampleRequest sample;
  const double best_us = best_us_ * drift_.factor();
  for (const RaceStage& stage : request_.race)
    if (best_us > 0) sample.gates.push_back({stage.samples, stage.factor * best_us});
  return sample;
}

// Where somebody killed the worker, the configuration gets another try.
void Judge::run(Trial& trial, const KernelPlan& kernel, const SampleRequest& sample,
                Verify verify) {
  const Stopwatch watch(device_s_);
  auto failure = try_once(trial, kernel, sample, verify);
  if (failure && failure->cause == Failure::Cause::outside)
    failure = try_once(trial, kernel, sample, verify);
  if (failure) fail(trial, *failure);
  watch_.look(std::chrono::steady_clock::now());
}

std::optional<Failure> Judge::try_once(Trial& trial, const KernelPlan& kernel,
                                       const SampleRequest& sample, Verify verify) {
  const auto loaded = evaluator_.load(kernel);
  if (!loaded.ok()) return loaded.failure();
  if (verify == Verify::yes) {
    const auto verified = evaluator_.verify();
    if (!verified.ok()) return verified.failure();
    trial.verification = verified.value();
  }
  const auto timed = evaluator_.sample(sample);
  if (!timed.ok()) return timed.failure();
  trial.outcome = Outcome::measured;
  trial.timing = timed.value();
  return std::nullopt;
}

void Judge::measure(Trial& trial, const KernelPlan& kernel, int samples, Verify verify) {
  SampleRequest sample;
  sample.minimum_samples = sample.maximum_samples = samples;
  sample.budget_us = std::numeric_limits<double>::max();
  run(trial, kernel, sample, verify);
}

void Judge::follow_anchor(const Trial& trial, const KernelPlan& kernel) {
  if (!anchor_) {
    anchor_ = kernel;
    drift_.note(trial.timing->median_us);
  } else if (++since_anchor_ >= kTrialsBetweenAnchors) {
    since_anchor_ = 0;
    Trial again;
    run(again, *anchor_, SampleRequest{}, Verify::no);
    if (again.timing) drift_.note(again.timing->median_us);
  }
}

std::string Judge::key(const Candidate& candidate, const std::string& code_hash) const {
  return launch_key(code_hash, plan_problem(request_, *candidate.implementation,
                                            candidate.configuration, problems_.front()));
}

void Judge::remember(const Candidate& candidate, const Trial& trial) {
  note_time(trial);
  if (trial.code_hash.empty() || trial.outcome == Outcome::duplicate) return;
  seen_.emplace(key(candidate, trial.code_hash), to_text(candidate.configuration.values));
}

void Judge::note_time(const Trial& trial) {
  if (!trial.timing) return;
  const double median_us = trial.timing->median_us / drift_.factor();
  if (best_us_ == 0 || median_us < best_us_) best_us_ = median_us;
}

}  // namespace tilewright
