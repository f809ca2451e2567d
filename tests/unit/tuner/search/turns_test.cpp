#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace tilewright {
namespace {

// Two made-up implementations of 24 × 24 configurations: most of the first are fast, most of the
// second 10 % slower than these, but the fastest of all are among a few of the second.
class TwoKernels {
 public:
  TwoKernels() {
    for (const char* name : {"flat", "deep"})
      for (int x = 0; x < 24; ++x)
        for (int y = 0; y < 24; ++y) {
          Trial& trial = trials_.emplace_back();
          trial.implementation = name;
          trial.configuration.values = {{"X", std::int64_t{x}}, {"Y", std::int64_t{y}}};
          trial.outcome = Outcome::measured;
          trial.timing.emplace().median_us = time_us(name, x, y);
        }
    std::vector<GridPoint> points;
    for (const Trial& trial : trials_)
      points.push_back({trial.implementation, &trial.configuration.values});
    grid_ = make_grid(points);
  }

  const Trial& operator[](std::size_t i) const { return trials_[i]; }
  SearchProblem problem(std::uint64_t seed) const {
    return {.count = trials_.size(), .first = {}, .seed = seed, .budget = 60, .grid = grid_};
  }

  // The best of a run, and how many of its trials were of the second.
  struct Found {
    double best_us = 1e9;
    int of_second = 0;
  };
  Found run(const std::string& strategy, std::uint64_t seed) const {
    const auto search = make_strategy(strategy, problem(seed));
    Found found;
    for (auto next = search->propose(1); !next.empty(); next = search->propose(1)) {
      const Trial& trial = trials_[next[0]];
      search->tell(next[0], trial);
      found.best_us = std::min(found.best_us, trial.timing->median_us);
      found.of_second += trial.implementation == "deep" ? 1 : 0;
    }
    return found;
  }

 private:
  static double time_us(const std::string& name, int x, int y) {
    if (name == "flat") return 100 + 0.05 * std::hypot(x - 12, y - 12);
    return 110 - 25 * std::exp(-std::pow(std::hypot(x - 19, y - 5) / 5, 2));
  }

  std::vector<Trial> trials_;
  SearchGrid grid_;
};

TEST(Turns, AnImplementationThatIsNotFarBehindIsLookedAt) {
  const TwoKernels kernels;
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    const auto run = kernels.run("model", seed);
    EXPECT_GE(run.of_second, 10) << seed;
    found += run.best_us < 88 ? 1 : 0;
  }
  EXPECT_GE(found, 8);
}

TEST(Turns, WithoutThemTheFirstThatDoesWellIsRefined) {
  const TwoKernels kernels;
  int with = 0, without = 0;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    with += kernels.run("model", seed).of_second;
    without += kernels.run("model:turns=0", seed).of_second;
  }
  EXPECT_GT(with, without);
}

TEST(Turns, AreTheSameInAResumedSweep) {
  const TwoKernels kernels;
  const auto whole = make_strategy("model", kernels.problem(1));
  const auto resumed = make_strategy("model", kernels.problem(1));
  for (int i = 0; i < 60; ++i) {
    const auto next = whole->propose(1);
    if (i >= 33) {
      ASSERT_EQ(resumed->propose(1), next) << i;
    }
    for (const auto* search : {&whole, &resumed}) (*search)->tell(next.at(0), kernels[next.at(0)]);
  }
}

// Proposes all of them, each of which takes as long.
void expect_all(const std::vector<GridPoint>& points) {
  Trial trial;
  trial.outcome = Outcome::measured;
  trial.timing.emplace().median_us = 7;
  const auto search = make_strategy(
      "model:starts=2:turns=1", {.count = points.size(), .first = {}, .grid = make_grid(points)});
  std::set<std::size_t> seen;
  for (auto next = search->propose(1); !next.empty(); next = search->propose(1)) {
    seen.insert(next[0]);
    search->tell(next[0], trial);
  }
  EXPECT_EQ(seen.size(), points.size());
}

TEST(Turns, PassOnWhereNothingIsLeftOfOthers) {
  const std::vector<Settings> settings = {{{"X", 1}}, {{"X", 2}}, {{"X", 3}}, {{"Y", 1}}, {}};
  std::vector<GridPoint> points;
  for (const Settings& one : settings) points.push_back({one.empty() ? "b" : "a", &one});
  expect_all(points);
}

TEST(Turns, AParameterMayBeNamedImplementation) {
  const std::vector<Settings> settings = {
      {{"implementation", 1}}, {{"implementation", 2}}, {{"X", 3}}, {{"X", 4}}, {}};
  std::vector<GridPoint> points;
  for (const Settings& one : settings) points.push_back({"a", &one});
  EXPECT_FALSE(make_grid(points).has_implementations);
  expect_all(points);
  points.back().implementation = "b";
  EXPECT_TRUE(make_grid(points).has_implementations);
  expect_all(points);
}

}  // namespace
}  // namespace tilewright
