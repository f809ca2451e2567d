#include "tuner/sweep/judge.hpp"

#include <limits>

namespace tilewright {
namespace {

constexpr int kTrialsBetweenAnchors = 50;

}  // namespace

double Judge::screen(Trial& trial, const KernelPlan& kernel) {
  run(trial, kernel, {race(), Verify::yes});
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
void Judge::run(Trial& trial, const KernelPlan& kernel, const Wish& wish) {
  auto failure = try_once(trial, kernel, wish);
  if (failure && failure->cause == Failure::Cause::outside) failure = try_once(trial, kernel, wish);
  if (failure) {
    trial.outcome = failure->outcome;
    trial.message = failure->message;
    trial.timing.reset();
    trial.warm_timing.reset();
  }
  watch_.look(std::chrono::steady_clock::now());
  for (auto* timing : {&trial.timing, &trial.warm_timing})
    if (*timing) watch_.note_in(**timing);
}

std::optional<Failure> Judge::try_once(Trial& trial, const KernelPlan& kernel, const Wish& wish) {
  {
    const Timed time(timeline_, Activity::loading);
    const auto loaded = evaluator_.load(kernel);
    if (!loaded.ok()) return loaded.failure();
  }
  if (wish.verify == Verify::yes) {
    const Timed time(timeline_, Activity::verifying);
    const auto verified = evaluator_.verify();
    if (!verified.ok()) return verified.failure();
    trial.verification = verified.value();
  }
  const Timed timed(timeline_, Activity::timing);
  auto failure = time(trial.timing, wish.sample, screening_policy(request_.policy.cache));
  if (!failure && wish.also_warm) failure = time(trial.warm_timing, wish.sample, CachePolicy::warm);
  if (!failure) trial.outcome = Outcome::measured;
  return failure;
}

std::optional<Failure> Judge::time(std::optional<Timing>& timing, SampleRequest sample,
                                   CachePolicy cache) {
  sample.cache = cache;
  const auto timed = evaluator_.sample(sample);
  if (!timed.ok()) return timed.failure();
  timing = timed.value();
  timing->cache = cache;
  return std::nullopt;
}

void Judge::measure(Trial& trial, const KernelPlan& kernel, int samples, Verify verify) {
  Wish wish;
  wish.sample.minimum_samples = wish.sample.maximum_samples = samples;
  wish.sample.budget_us = std::numeric_limits<double>::max();
  wish.verify = verify;
  wish.also_warm = request_.policy.cache == CachePolicy::robust;
  run(trial, kernel, wish);
}

void Judge::follow_anchor(const Trial& trial, const KernelPlan& kernel) {
  if (!anchor_) {
    anchor_ = kernel;
    drift_.note(trial.timing->median_us);
  } else if (++since_anchor_ >= kTrialsBetweenAnchors) {
    since_anchor_ = 0;
    Trial again;
    run(again, *anchor_, {});
    if (again.timing) drift_.note(again.timing->median_us);
  }
}

void Judge::note_time(const Trial& trial) {
  if (!trial.timing) return;
  const double median_us = trial.timing->median_us / drift_.factor();
  if (best_us_ == 0 || median_us < best_us_) best_us_ = median_us;
}

}  // namespace tilewright
