// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/sweep/judge.hpp"

#include "tilewright/statistics.hpp"
#include "tuner/sweep/code_check.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/session_plan.hpp"

namespace tilewright {
namespace {

// Times the best median so far: above it, a configuration is given up after a few samples or more.
constexpr double kFirstGate = 1.5;
constexpr double kSecondGate = 1.1;

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
  if (const auto missing = missing_entry(launches, code)) {
    fail(trial,
         {Outcome::compile_failed, "the code has no kernel '" + *missing + "'\n" + code.log});
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
  run(trial, kernel);
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

void Judge::run(Trial& trial, const KernelPlan& kernel) {
  const Stopwatch watch(device_s_);
  const auto loaded = evaluator_.load(kernel);
  if (!loaded.ok()) return fail(trial, loaded.failure());
  const auto verified = evaluator_.verify();
  if (!verified.ok()) return fail(trial, verified.failure());
  trial.verification = verified.value();
  SampleRequest sample;
  if (best_us_ > 0) sample.gates = {{3, kFirstGate * best_us_}, {8, kSecondGate * best_us_}};
  const auto timed = evaluator_.sample(sample);
  if (!timed.ok()) return fail(trial, timed.failure());
  trial.outcome = Outcome::measured;
  trial.timing = timed.value();
  note_time(trial);
}

void Judge::measure_again(Trial& trial, const KernelPlan& kernel, std::vector<double>& samples) {
  if (trial.outcome != Outcome::measured) return;
  const Stopwatch watch(device_s_);
  const auto loaded = evaluator_.load(kernel);
  if (!loaded.ok()) return fail(trial, loaded.failure());
  const auto timed = evaluator_.sample(SampleRequest{});
  if (!timed.ok()) return fail(trial, timed.failure());
  const Timing& timing = timed.value();
  samples.insert(samples.end(), timing.samples_us.begin(), timing.samples_us.end());
  trial.timing = summarise(samples, timing.calls_per_sample, timing.sm_mhz);
}

void Judge::remember(const Candidate& candidate, const Trial& trial) {
  note_time(trial);
  if (trial.code_hash.empty() || trial.outcome == Outcome::duplicate) return;
  const LaunchPlan launches =
      plan_problem(request_, *candidate.implementation, candidate.configuration, problems_.front());
  seen_.emplace(launch_key(trial.code_hash, launches), to_text(candidate.configuration.values));
}

void Judge::note_time(const Trial& trial) {
  if (!trial.timing) return;
  const double median_us = trial.timing->median_us;
  if (best_us_ == 0 || median_us < best_us_) best_us_ = median_us;
}

}  // namespace tilewright
