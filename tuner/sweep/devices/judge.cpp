#include "tuner/sweep/devices/judge.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "definition/problem.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright {
namespace {

constexpr int kTrialsBetweenAnchors = 50;
// A clock below this share of the first is held down.
constexpr double kHeldDown = 0.98;
// While it is, a configuration that takes less than this share of the anchor's time takes over.
constexpr double kMuchFaster = 0.9;
constexpr SampleRequest kBesideAnchor = {
    .minimum_samples = 3, .maximum_samples = 5, .budget_us = 5000};
// A heavy kernel brings a cool GPU to its power limit within a fraction of a second.
constexpr double kLoadsUs[] = {250e3, 750e3};
// The clock is then nearly that of this configuration's load, whatever ran before it.
constexpr double kLeadInUs = 50e3;
// Enough to see which configurations are worth a place in the final.
constexpr SampleRequest kScreenedWarm = {
    .minimum_samples = 3, .maximum_samples = 8, .budget_us = 5000};
// All times of a device that joins depend on these, and one may be disturbed.
constexpr int kFirstReadings = 3;

}  // namespace

void Judge::begin_beside(const KernelPlan& anchor, double time_us) {
  std::vector<double> times_us;
  double mhz = 0;
  for (int i = 0; i < kFirstReadings; ++i) {
    Trial here;
    run(here, anchor, {kBesideAnchor});
    if (!here.timing) return;
    times_us.push_back(here.timing->median_us);
    mhz = here.timing->sm_mhz;
  }
  anchor_ = anchor;
  anchor_mhz_ = mhz;
  drift_.note(time_us);
  drift_.note(median(std::move(times_us)));
}

// Operands of more than three times the L2 are cold anyway.
bool Judge::has_two_times(const SweepRequest& request) {
  const std::int64_t bytes = operand_bytes(*request.operation, request.problem);
  return request.policy.cache == CachePolicy::robust &&
         (request.device.l2_bytes == 0 || bytes <= 3 * request.device.l2_bytes);
}

double Judge::screen(Trial& trial, const KernelPlan& kernel) {
  const bool is_beside = is_held_down_ && read_anchor(kBesideAnchor);
  const double before = drift_.factor();
  run(trial, kernel, screening());
  if (!trial.timing) return 0;
  if (is_beside && read_anchor(kBesideAnchor)) ++beside_anchor_;
  const bool is_slowed = follow_clock(trial);
  follow_anchor(trial, kernel);
  const double factor = is_slowed ? drift_.factor() : std::sqrt(before * drift_.factor());
  const double normal_us = trial.timing->median_us / factor;
  if (note_time(normal_us)) best_ = kernel;
  if (is_beside && normal_us < kMuchFaster * drift_.base_us()) {
    anchor_ = kernel;
    drift_.hand_over(trial.timing->median_us);
  }
  return normal_us;
}

// Stops as soon as the configuration cannot win. A slow one may still win by another objective.
Judge::Wish Judge::screening() const {
  Wish wish{.verify = Verify::yes};
  if (measures_warm_) wish.warm = kScreenedWarm;
  if (request_.objective) return wish;
  const double best_us = best_us_ * drift_.factor();
  for (const RaceStage& stage : request_.race)
    if (best_us > 0) wish.sample.gates.push_back({stage.samples, stage.factor * best_us});
  wish.warm_over_us = request_.final.considered_over * best_us;
  return wish;
}

void Judge::run(Trial& trial, const KernelPlan& kernel, const Wish& wish) {
  for (int tries = 0;; ++tries) {
    run_once(trial, kernel, wish);
    if (tries > 0) watch_.look_at_once(std::chrono::steady_clock::now());
    if (!is_disturbed(trial, tries)) return;
    std::this_thread::sleep_for(request_.busy.pause);
    watch_.look_at_once(std::chrono::steady_clock::now());  // what comes now is told apart from it
  }
}

// Whether the trial is to be measured again, because somebody else used the device.
bool Judge::is_disturbed(Trial& trial, int tries) {
  const std::vector<ForeignProcess> others = watch_.others();
  if (others.empty()) waits_for_others_ = true;
  if (others.empty() || !trial.timing) return false;
  const std::string who = to_text(others.front());
  if (request_.busy.then == BusyRule::Then::refuse)
    throw DeviceLost(who + " computes on the same device");
  if (tries >= request_.busy.tries) waits_for_others_ = false;
  if (request_.busy.then == BusyRule::Then::again && waits_for_others_) return true;
  trial.message = "measured while " + who + " computed on the same device";
  return false;
}

// If the machine failed, the configuration gets another try.
void Judge::run_once(Trial& trial, const KernelPlan& kernel, const Wish& wish) {
  auto failure = try_once(trial, kernel, wish);
  if (failure && failure->outcome == Outcome::machine_failed)
    failure = try_once(trial, kernel, wish);
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
  const auto is_close = [&] {
    return wish.warm_over_us == 0 || trial.timing->median_us <= wish.warm_over_us;
  };
  if (!failure && wish.warm && is_close())
    failure = time(trial.warm_timing, *wish.warm, CachePolicy::warm);
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

Load Judge::settle(const KernelPlan& kernel) {
  if (runs_on_cpu(request_.device.kind)) return Load::usual;
  if (!anchor_) {  // nothing was screened
    Trial trial;
    run(trial, kernel, {kBesideAnchor});
    if (trial.timing) anchor_mhz_ = trial.timing->sm_mhz;
  }
  for (const double load_us : kLoadsUs) {
    Trial trial;
    run(trial, kernel, {{.minimum_samples = 1, .maximum_samples = 1, .lead_in_us = load_us}});
    watch_.look_at_once(std::chrono::steady_clock::now());
    if (!trial.timing || !shows_a_limit(trial)) break;
    is_held_down_ = true;
  }
  if (!is_held_down_) return Load::usual;
  return watch_.knows_reasons() && !watch_.is_held_down() ? Load::lowered : Load::held_down;
}

void Judge::measure(Trial& trial, const KernelPlan& kernel, int samples, Verify verify) {
  Wish wish;
  wish.sample.minimum_samples = wish.sample.maximum_samples = samples;
  wish.sample.budget_us = std::numeric_limits<double>::max();
  wish.verify = verify;
  // Warm samples follow the others at once, on a clock near that of their load.
  if (measures_warm_) wish.warm = wish.sample;
  if (is_held_down_) wish.sample.lead_in_us = kLeadInUs;
  run(trial, kernel, wish);
}

void Judge::follow_anchor(const Trial& trial, const KernelPlan& kernel) {
  if (!anchor_) {
    anchor_ = kernel;
    anchor_mhz_ = trial.timing->sm_mhz;
    drift_.note(trial.timing->median_us);
    since_anchor_ = kTrialsBetweenAnchors - 1;  // a base is held against the next reading
  } else if (!is_held_down_ && ++since_anchor_ >= kTrialsBetweenAnchors) {
    const bool is_sure = drift_.note_if_sure(time_of(*anchor_, {}));
    since_anchor_ = is_sure ? 0 : kTrialsBetweenAnchors - 1;
  }
}

// Returns whether this trial is the first that shows a clock held down. It stays so to the end,
// because the power depends on what runs.
bool Judge::follow_clock(const Trial& trial) {
  if (is_held_down_ || !shows_a_limit(trial)) return false;
  is_held_down_ = true;
  if (!best_) return true;
  read_anchor(kBesideAnchor);  // how much slower everything is now
  anchor_ = best_;
  if (const auto first_us = time_of(*anchor_, kBesideAnchor)) drift_.hand_over(*first_us);
  return true;
}

bool Judge::shows_a_limit(const Trial& trial) const {
  const double mhz = trial.timing->sm_mhz;
  return watch_.is_held_down() || (mhz > 0 && mhz < kHeldDown * anchor_mhz_);
}

// Its median; nothing if it does not run.
std::optional<double> Judge::time_of(const KernelPlan& kernel, const SampleRequest& sample) {
  Trial trial;
  run(trial, kernel, {sample});
  return trial.timing ? std::optional(trial.timing->median_us) : std::nullopt;
}

// Notes the drift. Returns whether the anchor still runs.
bool Judge::read_anchor(const SampleRequest& sample) {
  const auto time_us = time_of(*anchor_, sample);
  if (time_us) drift_.note(*time_us);
  return time_us.has_value();
}

void Judge::remember(const Trial& trial) {
  if (trial.timing) note_time(trial.timing->median_us);
}

// Whether it is the fastest so far.
bool Judge::note_time(double normal_us) {
  const bool is_fastest = best_us_ == 0 || normal_us < best_us_;
  if (is_fastest) best_us_ = normal_us;
  return is_fastest;
}

}  // namespace tilewright
