#include "tuner/sweep/judge.hpp"

#include <limits>

namespace tilewright {
namespace {

constexpr int kTrialsBetweenAnchors = 50;

}  // namespace

double Judge::screen(Trial& trial, const KernelPlan& kernel) {
  run(trial, kernel, race(), Verify::yes);
  if (!trial.timing) return 0;
  note_time(trial);
  follow_anchor(trial, kernel);
  return trial.timing->median_us / drift_.factor();
}

// Stops as soon as the configuration cannot win.
SampleRequest Judge::race() const {
  SampleRequest sample;
  const double best_us = best_us_ * drift_.factor();
  for (const RaceStage& stage : request_.race)
    if (best_us > 0) sample.gates.push_back({stage.samples, stage.factor * best_us});
  return sample;
}

// If somebody killed the worker, the configuration gets another try.
void Judge::run(Trial& trial, const KernelPlan& kernel, const SampleRequest& sample,
                Verify verify) {
  auto failure = try_once(trial, kernel, sample, verify);
  if (failure && failure->cause == Failure::Cause::outside)
    failure = try_once(trial, kernel, sample, verify);
  if (failure) {
    trial.outcome = failure->outcome;
    trial.message = failure->message;
    trial.timing.reset();
  }
  watch_.look(std::chrono::steady_clock::now());
}

std::optional<Failure> Judge::try_once(Trial& trial, const KernelPlan& kernel,
                                       const SampleRequest& sample, Verify verify) {
  {
    const Timed time(timeline_, Activity::loading);
    const auto loaded = evaluator_.load(kernel);
    if (!loaded.ok()) return loaded.failure();
  }
  if (verify == Verify::yes) {
    const Timed time(timeline_, Activity::verifying);
    const auto verified = evaluator_.verify();
    if (!verified.ok()) return verified.failure();
    trial.verification = verified.value();
  }
  const Timed time(timeline_, Activity::timing);
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

void Judge::note_time(const Trial& trial) {
  if (!trial.timing) return;
  const double median_us = trial.timing->median_us / drift_.factor();
  if (best_us_ == 0 || median_us < best_us_) best_us_ = median_us;
}

}  // namespace tilewright
