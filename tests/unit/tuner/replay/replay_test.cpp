#include "tuner/replay/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

Record bowl() {
  Record all;
  for (int x = 0; x < 20; ++x)
    for (int y = 0; y < 20; ++y) {
      Trial trial;
      trial.configuration.values = {{"x", std::int64_t{x}}, {"y", std::int64_t{y}}};
      trial.outcome = Outcome::measured;
      trial.timing.emplace();
      trial.timing->median_us = 10 + (x - 12) * (x - 12) + (y - 5) * (y - 5);
      all.trials.push_back(trial);
    }
  return all;
}

ReplayOptions options(const std::string& strategy, std::size_t threads = 1, std::size_t batch = 1) {
  return {strategy, 50, 10, 1, batch, threads};
}

TEST(Replay, ARunNeverGetsWorseAndHasABudgetOfTrials) {
  for (const std::string strategy : {"random", "model"}) {
    const Replay result = replay(bowl(), options(strategy));
    ASSERT_EQ(result.runs.size(), 10U);
    for (const ReplayRun& run : result.runs) {
      EXPECT_EQ(run.best.size(), 50U);
      EXPECT_TRUE(std::is_sorted(run.best.begin(), run.best.end()));
      EXPECT_LE(run.best.back(), 1);
    }
  }
}

TEST(Replay, ThreadsChangeNothing) {
  const Replay one = replay(bowl(), options("model"));
  const Replay three = replay(bowl(), options("model", 3));
  for (std::size_t i = 0; i < one.runs.size(); ++i) {
    EXPECT_EQ(one.runs[i].seed, i + 1);
    EXPECT_EQ(one.runs[i].best, three.runs[i].best);
  }
}

TEST(Replay, UsesWhatARecordExpects) {
  Record record = bowl();
  ReplayOptions few = options("model");
  few.budget = 12;
  const double alone = replay(record, few).fraction(12, 0.5);
  for (const Trial& trial : record.trials) record.expected.push_back(3 * trial.timing->median_us);
  EXPECT_GT(replay(record, few).fraction(12, 0.5), alone);
  EXPECT_EQ(replay(record, options("random")).runs[0].best,
            replay(bowl(), options("random")).runs[0].best);
}

TEST(Replay, ABatchIsAnsweredInTheOrderProposed) {
  const Replay one = replay(bowl(), options("random"));
  const Replay many = replay(bowl(), options("random", 1, 16));
  for (std::size_t i = 0; i < one.runs.size(); ++i) EXPECT_EQ(one.runs[i].best, many.runs[i].best);
}

TEST(Replay, QuantilesAreOverRuns) {
  Replay result;
  result.runs = {{1, {0.1, 0.5}}, {2, {0.2, 0.3}}, {3, {0.4}}};
  EXPECT_DOUBLE_EQ(result.fraction(1, 0.5), 0.2);
  EXPECT_DOUBLE_EQ(result.fraction(2, 0.5), 0.4);  // a run that ended keeps what it has
  EXPECT_DOUBLE_EQ(result.fraction(2, 0), 0.3);
  EXPECT_DOUBLE_EQ(result.fraction(2, 0.75), 0.45);
}

TEST(Replay, DuplicatesCostNoTrial) {
  Record space = bowl();
  for (std::size_t i = 0; i < space.trials.size(); i += 2) {
    space.trials[i].code_hash = "a";
    space.trials[i].outcome = Outcome::duplicate;
    space.trials[i].timing.reset();
  }
  ReplayOptions all = options("random");
  all.budget = 1000;
  all.seeds = 1;
  EXPECT_EQ(replay(space, all).runs[0].best.size(), 200U);
}

TEST(Replay, AnUnknownStrategyIsAnError) {
  EXPECT_THROW(replay(bowl(), options("modle", 2)), InputError);
}

}  // namespace
}  // namespace tilewright
