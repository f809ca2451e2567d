#include <gtest/gtest.h>

#include "tuner/replay/replay.hpp"

namespace tilewright {
namespace {

// Times 1, 2, … µs, then failures.
Record record(int measured, int failed) {
  Record all;
  for (int i = 0; i < measured + failed; ++i) {
    Trial trial;
    trial.configuration.values["x"] = std::int64_t{i};
    trial.outcome = i < measured ? Outcome::measured : Outcome::launch_failed;
    if (i < measured) {
      trial.timing.emplace();
      trial.timing->median_us = i + 1;
    }
    all.trials.push_back(trial);
  }
  return all;
}

TEST(RandomSearch, OneTrialIsAQuantileOfTheTimes) {
  const RandomSearch random(record(10, 0));
  EXPECT_DOUBLE_EQ(random.fraction(1, 0.05), 1.0 / 10);
  EXPECT_DOUBLE_EQ(random.fraction(1, 0.55), 1.0 / 5);
  EXPECT_DOUBLE_EQ(random.fraction(1, 0.95), 1);
}

TEST(RandomSearch, FailuresCountAsTrials) {
  const RandomSearch random(record(4, 6));
  EXPECT_EQ(random.fraction(1, 0.5), 0);
  EXPECT_EQ(random.fraction(10, 0.01), 1);
  EXPECT_EQ(random.fraction(7, 0.0001), 0.25);  // at least one of the four is among seven
}

TEST(RandomSearch, IsWhatTheStrategyDoes) {
  const Record space = record(300, 100);
  const RandomSearch random(space);
  const Replay runs = replay(space, {"random", 100, 2000, 1, 1, 1});
  for (const std::size_t trials : {5U, 20U, 100U}) {
    EXPECT_NEAR(runs.fraction(trials, 0.5), random.fraction(trials, 0.5), 0.05) << trials;
    EXPECT_NEAR(runs.fraction(trials, 0.1), random.fraction(trials, 0.1), 0.02) << trials;
  }
}

TEST(RandomSearch, TheIntervalOfAMedianNarrowsWithRuns) {
  const RandomSearch random(record(1000, 0));
  const auto few = random.median_of(20, 10);
  const auto many = random.median_of(20, 1000);
  EXPECT_LE(few.low, many.low);
  EXPECT_LT(many.low, random.fraction(20, 0.5));
  EXPECT_LT(random.fraction(20, 0.5), many.high);
  EXPECT_LT(many.high, few.high);
}

}  // namespace
}  // namespace tilewright
