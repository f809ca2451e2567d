#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

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

  // The best of a run, and how many of its trials were of the second.
  struct Found {
    double best_us = 1e9;
    int of_second = 0;
  };
  Found run(const std::string& strategy, std::uint64_t seed) const {
    const auto search = make_strategy(
        strategy,
        {.count = trials_.size(), .first = {}, .seed = seed, .budget = 60, .grid = grid_});
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

}  // namespace
}  // namespace tilewright
