#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "tilewright/error.hpp"
#include "tuner/search/importance.hpp"
#include "tuner/search/model.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright {
namespace {

// The default strategy where it judges less than it would: sanitizers are slow.
const std::string kLight = "model:pool=400:kept=100:examples=100:lessons=60";

// A made-up kernel: 8 × 8 × 6 × 6 sizes and a switch, those with more than 2048 threads left
// out, those with too large tiles failing, the rest smooth with one optimum.
class Kernel {
 public:
  Kernel() {
    for (int x = 0; x < 8; ++x)
      for (int y = 0; y < 8; ++y)
        for (int u = 0; u < 6; ++u)
          for (int v = 0; v < 6; ++v)
            for (int w = 0; w < 2; ++w)
              if (x + y <= 11) add({x, y, u, v, w});
    std::vector<GridPoint> points;
    for (const Trial& trial : trials_) points.push_back({"k", &trial.configuration.values});
    grid_ = make_grid(points);
  }

  const Trial& operator[](std::size_t i) const { return trials_[i]; }
  std::size_t size() const { return trials_.size(); }
  double optimum() const { return optimum_; }  // µs
  SearchProblem problem(std::uint64_t seed, std::size_t budget) const {
    return {trials_.size(), {}, seed, budget, grid_};
  }

  // What a formula expects that errs by up to 20 %; the times to this power.
  std::vector<double> expected(double power) const {
    std::vector<double> all;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      const double error = 0.2 * std::sin(static_cast<double>(i));
      all.push_back(1e4 * std::exp(power * costs_[i] + error));
    }
    return all;
  }

  // The optimum over the best of a run.
  double run(const std::string& name, std::uint64_t seed, std::size_t budget, std::size_t batch = 1,
             std::vector<double> expected = {}) const {
    SearchProblem searched = problem(seed, budget);
    searched.expected = std::move(expected);
    const auto strategy = make_strategy(name, std::move(searched));
    double best = 0;
    for (auto next = strategy->propose(batch); !next.empty(); next = strategy->propose(batch))
      for (const std::size_t i : next) {
        strategy->tell(i, trials_[i]);
        if (trials_[i].timing) best = std::max(best, optimum_ / trials_[i].timing->median_us);
      }
    return best;
  }

 private:
  void add(const std::array<int, 5>& at) {
    const auto square = [](double d) { return d * d; };
    const double cost = 0.05 * square(at[0] - 5) + 0.04 * square(at[1] - 3) +
                        0.06 * square(at[2] - 4) + 0.05 * square(at[3] - 2) +
                        0.02 * square(at[0] + at[2] - 9) + (at[4] == 0 ? 0.3 : 0.0);
    Trial trial;
    const char* const names[] = {"x", "y", "u", "v", "w"};
    for (std::size_t i = 0; i < 5; ++i)
      trial.configuration.values[names[i]] = std::int64_t{i < 4 ? 1 << at[i] : at[i]};
    trial.outcome = at[2] + at[3] > 8 ? Outcome::launch_failed : Outcome::measured;
    if (trial.outcome == Outcome::measured) {
      trial.timing.emplace();
      trial.timing->median_us = std::exp(cost);
      optimum_ = std::min(optimum_, trial.timing->median_us);
    }
    trials_.push_back(trial);
    costs_.push_back(cost);
  }

  std::vector<Trial> trials_;
  std::vector<double> costs_;  // ln of the times, also of those that fail
  SearchGrid grid_;
  double optimum_ = 1e9;
};

const Kernel& kernel() {
  static const Kernel made;
  return made;
}

// Medians over seeds, so that no single run decides.
double median_of_runs(const std::string& name, std::size_t budget, std::size_t batch = 1,
                      const std::vector<double>& expected = {}) {
  std::vector<double> best;
  for (std::uint64_t seed = 1; seed <= 9; ++seed)
    best.push_back(kernel().run(name, seed, budget, batch, expected));
  std::sort(best.begin(), best.end());
  return best[4];
}

TEST(Learning, FindsMoreThanRandomSearch) {
  EXPECT_GT(median_of_runs(kLight, 150), median_of_runs("random", 150));
}

TEST(Learning, CopesWithManyAtATime) {
  EXPECT_GT(median_of_runs(kLight, 150, 16), median_of_runs("random", 150));
}

TEST(Learning, ProposesEachOnceAndInTheEndAll) {
  const auto strategy = make_strategy(kLight, kernel().problem(1, 0));
  std::set<std::size_t> seen;
  for (auto next = strategy->propose(50); !next.empty(); next = strategy->propose(50))
    for (const std::size_t i : next) {
      EXPECT_TRUE(seen.insert(i).second);
      strategy->tell(i, kernel()[i]);
    }
  EXPECT_EQ(seen.size(), kernel().size());
}

TEST(Learning, IsTheSameForASeedAndTheSameOutcomes) {
  const auto order = [](std::uint64_t seed) {
    const auto strategy = make_strategy(kLight, kernel().problem(seed, 60));
    std::vector<std::size_t> all;
    for (auto next = strategy->propose(4); !next.empty(); next = strategy->propose(4))
      for (const std::size_t i : next) {
        all.push_back(i);
        strategy->tell(i, kernel()[i]);
      }
    return all;
  };
  EXPECT_EQ(order(5), order(5));
  EXPECT_NE(order(5), order(6));
}

TEST(Learning, GoesOnFromWhatAnEarlierSweepFound) {
  const std::size_t budget = 150;
  double best = 0;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    const auto earlier = make_strategy("random", kernel().problem(seed, 100));
    const auto resumed = make_strategy(kLight, kernel().problem(seed, budget));
    for (const std::size_t i : earlier->propose(100)) resumed->tell(i, kernel()[i]);
    std::size_t more = 0;
    double found = 0;
    for (auto next = resumed->propose(1); !next.empty(); next = resumed->propose(1), ++more) {
      const Trial& trial = kernel()[next[0]];
      resumed->tell(next[0], trial);
      if (trial.timing) found = std::max(found, 1 / trial.timing->median_us);
    }
    EXPECT_EQ(more, 50U);
    best += found / 9;
  }
  EXPECT_GT(best, 0.8);  // random search is at 0.7 after as many
}

TEST(Learning, ADuplicateCostsNoTrialAndCountsAsWhatItRepeats) {
  const auto strategy = make_strategy(kLight, kernel().problem(1, 10));
  std::size_t proposed = 0;
  for (auto next = strategy->propose(1); !next.empty(); next = strategy->propose(1)) {
    Trial trial = kernel()[next[0]];
    trial.code_hash = "the same";
    if (proposed++ % 2 == 1) {
      trial.outcome = Outcome::duplicate;
      trial.timing.reset();
    }
    strategy->tell(next[0], trial);
  }
  EXPECT_EQ(proposed, 19U);  // every second one; the budget ends before the tenth
}

TEST(Learning, BeginsWithWhatDidBestElsewhere) {
  SearchProblem problem = kernel().problem(1, 20);
  problem.first = {7};
  problem.priors = {{30, 1.5}, {10, std::nullopt}, {20, 1.0}, {40, 1.0}, {20, 1.2}};
  problem.suggested = {40, 11};
  const auto strategy = make_strategy(kLight, problem);
  EXPECT_EQ(strategy->propose(5), (std::vector<std::size_t>{7, 20, 40, 30, 11}));
}

TEST(Learning, SurvivesWhenEverythingFails) {
  const auto strategy = make_strategy(kLight, kernel().problem(1, 100));
  std::size_t proposed = 0;
  for (auto next = strategy->propose(3); !next.empty(); next = strategy->propose(3))
    for (const std::size_t i : next) {
      Trial failed;
      failed.outcome = Outcome::compile_failed;
      strategy->tell(i, failed);
      ++proposed;
    }
  EXPECT_EQ(proposed, 100U);
}

TEST(Model, FindsTheOptimumOfASmoothSpace) {
  EXPECT_GE(median_of_runs("model", 60), 0.97);
}

// Mean of what is found after 20 trials, with what a slower device measured of every third.
double mean_with_priors(const std::vector<PriorTrial>& priors) {
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    SearchProblem problem = kernel().problem(seed, 20);
    problem.priors = priors;
    const auto strategy = make_strategy(kLight, problem);
    double best = 0;
    for (auto next = strategy->propose(1); !next.empty(); next = strategy->propose(1)) {
      const Trial& trial = kernel()[next[0]];
      strategy->tell(next[0], trial);
      if (trial.timing) best = std::max(best, kernel().optimum() / trial.timing->median_us);
    }
    mean += best / 9;
  }
  return mean;
}

TEST(Model, LearnsFromNeighboursAndForgivesWrongOnes) {
  std::vector<PriorTrial> alike;
  std::vector<PriorTrial> opposite;
  for (std::size_t i = 0; i < kernel().size(); i += 3) {
    alike.push_back({i, std::nullopt});
    opposite.push_back({i, std::nullopt});
    if (!kernel()[i].timing) continue;
    const double ratio = kernel()[i].timing->median_us / kernel().optimum();
    alike.back().ratio = std::pow(ratio, 0.7);
    opposite.back().ratio = 1 + 1 / ratio;
  }
  const double alone = mean_with_priors({});
  EXPECT_GT(mean_with_priors(alike), std::max(0.95, alone));
  EXPECT_GT(mean_with_priors(opposite), 0.7 * alone);
}

TEST(Model, ExpectedCostsThatAreRightSaveTrials) {
  const double with_them = median_of_runs(kLight, 15, 1, kernel().expected(1));
  EXPECT_GT(with_them, 0.95);
  EXPECT_GT(with_them, median_of_runs(kLight, 18));
}

TEST(Model, ExpectedCostsThatAreWrongCostFew) {
  const double alone = median_of_runs(kLight, 60);
  EXPECT_GT(median_of_runs(kLight, 60, 1, kernel().expected(-1)), 0.9 * alone);
  EXPECT_GT(median_of_runs(kLight, 60, 1, kernel().expected(0)), 0.9 * alone);
}

// Random candidates of low expected cost are likelier, and those of unknown cost as likely as ever.
TEST(Model, DrawsCandidatesOfLowExpectedCost) {
  const auto share_of_first = [](double cost_of_first, const std::string& name) {
    double count = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      SearchProblem problem;  // without a grid all proposals are random
      problem.count = 1000;
      problem.seed = seed;
      problem.expected.assign(1000, 7);
      std::fill_n(problem.expected.begin(), 500, cost_of_first);
      count += make_strategy(name, std::move(problem))->propose(1).at(0) < 500 ? 1 : 0;
    }
    return count / 400;
  };
  EXPECT_NEAR(share_of_first(5, "model"), 1 - 1 / 16.0, 0.05);
  EXPECT_NEAR(share_of_first(9, "model"), 1 / 16.0, 0.05);
  EXPECT_NEAR(share_of_first(0, "model"), 0.5, 0.08);
  EXPECT_NEAR(share_of_first(5, "model:draws=1"), 0.5, 0.08);
}

TEST(Model, GoesOnAsIfTheSweepHadNotBeenInterrupted) {
  for (const auto& [name, power] : {std::pair(kLight, 0.0), std::pair(kLight, 1.0),
                                    std::pair(std::string("model:pool=5000:examples=100"), 0.5)}) {
    const auto begin = [&, power = power] {
      SearchProblem problem = kernel().problem(1, 60);
      if (power > 0) problem.expected = kernel().expected(power);
      return problem;
    };
    const auto whole = make_strategy(name, begin());
    std::vector<std::size_t> order;
    for (auto next = whole->propose(1); !next.empty(); next = whole->propose(1)) {
      order.push_back(next[0]);
      whole->tell(next[0], kernel()[next[0]]);
    }
    const auto resumed = make_strategy(name, begin());
    for (std::size_t i = 0; i < 35; ++i) resumed->tell(order[i], kernel()[order[i]]);
    for (std::size_t i = 35; i < 60; ++i) {
      const auto next = resumed->propose(1);
      ASSERT_EQ(next, std::vector{order[i]}) << name << " at " << i;
      resumed->tell(next[0], kernel()[next[0]]);
    }
  }
}

TEST(Model, JudgesPartOfASpaceThatIsLarge) {
  EXPECT_GE(median_of_runs(kLight, 150), 0.95);
}

// Pools are the neighbours of the two fastest. Only those that were tried leave them.
TEST(Model, NeighboursThatWereNotChosenComeBack) {
  const auto strategy =
      make_strategy("model:starts=2:centres=2:pool=1:kept=0:growth=0", kernel().problem(1, 0));
  const std::array<std::size_t, 2> fastest = {1000, 3000};
  for (const std::size_t i : fastest) strategy->tell(i, kernel()[i]);
  const SearchGrid grid = kernel().problem(1, 0).grid;
  const auto is_beside = [&](std::size_t i, std::size_t other) {
    return std::inner_product(grid.of(i).begin(), grid.of(i).end(), grid.of(other).begin(), 0,
                              std::plus<>(), std::not_equal_to<>()) == 1;
  };
  for (int round = 0; round < 12; ++round) {
    const std::size_t next = strategy->propose(1).at(0);
    EXPECT_TRUE(is_beside(next, fastest[0]) || is_beside(next, fastest[1])) << round;
    Trial failed;
    failed.outcome = Outcome::launch_failed;
    strategy->tell(next, failed);
  }
}

// Half of the outcomes that predictions use are the fastest, also of two.
TEST(Model, FewExamplesHaveTheFastest) {
  std::vector<Settings> settings;
  for (std::int64_t x = 0; x < 100; ++x) settings.push_back({{"x", x}});
  std::vector<GridPoint> points;
  for (const Settings& item : settings) points.push_back({"k", &item});
  const SearchGrid grid = make_grid(points);
  std::vector<Known> known;
  for (std::size_t i = 0; i < 100; i += 9) known.push_back({i, i == 45 ? 0.0 : 1.0});
  std::mt19937_64 random(1);
  const std::vector<double> expected;
  Surrogate surrogate(grid, {}, expected, {.examples = 2});
  surrogate.draw({46, 1}, known, {}, random);  // beside the fastest, and beside another
  EXPECT_GT(surrogate.promises()[0], surrogate.promises()[1]);
}

// Options of none choose at random.
TEST(Model, SharesOfFewAreNotNone) {
  for (const char* name :
       {"model:starts=1:pool=1:kept=1:centres=1:examples=1:lessons=1:growth=0",
        "model:starts=0:pool=0:kept=0:centres=0:examples=0:lessons=0:trees=0:draws=0"}) {
    SearchProblem problem = kernel().problem(1, 60);
    problem.expected = kernel().expected(1);
    const auto strategy = make_strategy(name, std::move(problem));
    std::set<std::size_t> seen;
    for (auto next = strategy->propose(3); !next.empty(); next = strategy->propose(3))
      for (const std::size_t i : next) {
        EXPECT_TRUE(seen.insert(i).second) << name;
        strategy->tell(i, kernel()[i]);
      }
    EXPECT_EQ(seen.size(), 60U) << name;
  }
}

TEST(Importance, IsGreatestForWhatTheTimeHangsOn) {
  std::vector<Settings> settings;
  for (int x = 0; x < 6; ++x)
    for (int y = 0; y < 6; ++y)
      for (int z = 0; z < 3; ++z)
        settings.push_back(
            {{"x", std::int64_t{1 << x}}, {"y", std::int64_t{1 << y}}, {"z", std::int64_t{z}}});
  std::vector<GridPoint> points;
  for (const Settings& item : settings) points.push_back({"k", &item});
  const SearchGrid grid = make_grid(points);
  std::vector<Known> known;
  for (std::size_t i = 0; i < settings.size(); ++i)
    known.push_back({i, 3.0 * grid.of(i)[1] + 0.5 * grid.of(i)[0]});
  known.push_back({0, std::nullopt});
  const std::vector<Importance> found = importance_of(grid, known, 1);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].name, "y");
  EXPECT_GT(found[0].share, 0.8);
  EXPECT_EQ(found[1].name, "x");
  EXPECT_LT(found[2].share, 0.01);
  for (const Importance& item : found) {
    EXPECT_LE(item.low, item.share);
    EXPECT_LE(item.share, item.high);
  }
  known.resize(19);
  EXPECT_TRUE(importance_of(grid, known, 1).empty());
}

TEST(Model, IsOpenToOtherSettings) {
  EXPECT_EQ(model_options("").starts, ModelOptions{}.starts);
  const ModelOptions options = model_options("starts=3:trees=7:noise=0.5");
  EXPECT_EQ(options.starts, 3U);
  EXPECT_EQ(options.surrogate.risk.trees, 7U);
  EXPECT_EQ(options.surrogate.similarity.noise, 0.5);
  EXPECT_THROW(model_options("start=3"), InputError);
  EXPECT_THROW(model_options("starts=three"), InputError);
  EXPECT_THROW(model_options("starts"), InputError);
}

}  // namespace
}  // namespace tilewright
