#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/tuner/sweep/fakes.hpp"
#include "tools/run/pair_bench.hpp"

namespace tilewright::tools {
namespace {

using tilewright::test::CopyDefinition;
using tilewright::test::FakeCompilers;
using tilewright::test::FakeEvaluator;

Configuration block_of_size(std::int64_t size) {
  return {{{"BLOCK", size}, {"UNUSED", 0}}};
}

// Sizes of the copy, tuned as the test says. The fakes take 1000 / BLOCK µs.
class PortfolioTest : public ::testing::Test {
 protected:
  PortfolioTest() {
    std::filesystem::create_directories(folder_);
    report_.device = copy_.request.device;
    target_.family =
        std::make_shared<const Family>(Family{copy_.operation, {copy_.implementation}});
    target_.implementations = {&target_.family->implementations.front()};
  }
  ~PortfolioTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void tune(std::int64_t n, const std::vector<std::pair<std::int64_t, double>>& times) {
    SweepKey key;
    key.operation = "copy";
    key.problem = problem(n);
    key.device = copy_.request.device;
    key.implementations = {{"copy/plain", 1, "a", "b", block_of_size(64)}};
    const SweepRecord sweep = store_.begin_sweep(key, {}, Store::Start::fresh);
    for (const auto& [size, us] : times) {
      Trial trial;
      trial.implementation = "copy/plain";
      trial.configuration = block_of_size(size);
      trial.outcome = Outcome::measured;
      trial.timing = summarise({us, us, us}, 1, 0);
      store_.add_trial(sweep.id, trial);
    }
    store_.finish_sweep(sweep.id, "{}");
  }

  static Problem problem(std::int64_t n) { return {"copy", {{"N", n}}}; }

  PortfolioView view() const { return view_portfolio(target_, report_.device, store_); }

  CopyDefinition copy_;
  Target target_;
  DeviceReport report_;
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("tilewright-portfolio-" + std::to_string(::getpid()));
  Store store_{folder_ / "p.db"};
};

TEST_F(PortfolioTest, CountsOnlyWhatTheDefinitionsServeToday) {
  tune(64, {{32, 10}, {96, 5}});
  const PortfolioView seen = view();
  ASSERT_EQ(seen.wish.problems, 1u);
  const auto fastest = fastest_for(seen, 0);
  ASSERT_TRUE(fastest);
  EXPECT_EQ(seen.configurations[*fastest], block_of_size(32)) << "96 is no value of BLOCK";
  EXPECT_EQ(choose_portfolio(seen.wish).served(), 1u);
  target_.implementations.clear();
  EXPECT_FALSE(fastest_for(view(), 0));
}

TEST_F(PortfolioTest, MeasuresMissingPairsBesideTheFastestAndKeepsThem) {
  tune(64, {{32, 10}});
  tune(128, {{128, 10}});
  const PortfolioView before = view();
  const ChosenPortfolio two = choose_portfolio(before.wish);
  EXPECT_EQ(two.configurations.size(), 2u);
  const auto missing = missing_pairs(before, two);
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_EQ(missing[0].configurations.size(), 2u);

  FakeCompilers compilers;
  FakeEvaluator evaluator;
  const std::atomic<bool> stop = false;
  EXPECT_TRUE(measure_missing(target_, before, missing,
                              {report_, {}, compilers, evaluator, nullptr, store_, stop}));
  const PortfolioView after = view();
  EXPECT_TRUE(missing_pairs(after, choose_portfolio(after.wish)).empty());
  // Side by side 128 is faster for both, so that one is enough.
  const ChosenPortfolio one = choose_portfolio(after.wish);
  ASSERT_EQ(one.configurations.size(), 1u);
  EXPECT_EQ(after.configurations[one.configurations.front()], block_of_size(128));
  EXPECT_EQ(one.served(), 2u);
  // What was measured for a portfolio never outranks a sweep.
  const auto best = store_.best({.problem = problem(64)});
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].configuration, block_of_size(32));
}

TEST_F(PortfolioTest, KeepsNothingOfWhatWasStopped) {
  tune(64, {{32, 10}});
  tune(128, {{128, 10}});
  const PortfolioView seen = view();
  FakeCompilers compilers;
  FakeEvaluator evaluator;
  const std::atomic<bool> stop = true;
  const auto missing = missing_pairs(seen, choose_portfolio(seen.wish));
  EXPECT_FALSE(measure_missing(target_, seen, missing,
                               {report_, {}, compilers, evaluator, nullptr, store_, stop}));
  EXPECT_EQ(store_.sweeps({}).size(), 2u);
}

// As if it were not tuned, 256 would get the configuration of its neighbour.
TEST_F(PortfolioTest, WhatATunedProblemWouldBeAnsweredIsMeasuredBesideTheFastest) {
  tune(128, {{128, 10}, {32, 40}});
  tune(256, {{32, 10}});
  const LookUpRows rows{store_.best({}), {}};
  const auto left_out = [&] {
    const PortfolioView seen = view();
    const std::size_t of_256 = seen.losses.problems[0].problem == problem(256) ? 0 : 1;
    LeftOutProblem left = leave_out(target_, seen, rows, of_256);
    left.ratio = ratio_on_record(seen, left);
    return left;
  };
  const LeftOutProblem before = left_out();
  ASSERT_TRUE(before.answer);
  EXPECT_EQ(before.tuned.problem, problem(256));
  EXPECT_EQ(before.answer->rung, Rung::near_problem);
  EXPECT_EQ(before.answer->configuration, block_of_size(128));
  EXPECT_FALSE(before.ratio) << "of 256 and 128 nothing is known yet";

  FakeCompilers compilers;
  FakeEvaluator evaluator;
  const std::atomic<bool> stop = false;
  const PairBench bench{report_, {}, compilers, evaluator, nullptr, store_, stop};
  ASSERT_TRUE(measure_left_out(target_, view(), before, bench));
  const LeftOutProblem after = left_out();
  EXPECT_EQ(after.ratio, 1) << "it is the faster one of the two";
  EXPECT_TRUE(measure_left_out(target_, view(), after, bench)) << "and is not measured again";
  EXPECT_EQ(store_.sweeps({}).size(), 3U);
}

TEST(WorkloadLosses, SayWhatIsLostInTheMeanAndAtWorst) {
  std::vector<LeftOutProblem> problems(11);
  for (std::size_t i = 0; i < 10; ++i) problems[i].ratio = i == 0 ? 2 : i == 1 ? 1.5 : 1;
  const WorkloadLosses losses = losses_of("some", problems);
  EXPECT_EQ(losses.problems, 11U);
  EXPECT_EQ(losses.known, 10U);
  EXPECT_NEAR(losses.mean, std::pow(3.0, 0.1) - 1, 1e-12);
  EXPECT_NEAR(losses.most_of_ten, 0.5, 1e-12);
  EXPECT_NEAR(losses.worst, 1, 1e-12);
  EXPECT_EQ(losses_of("none", {}).known, 0U);
}

}  // namespace
}  // namespace tilewright::tools
