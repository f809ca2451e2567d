#include <gtest/gtest.h>

#include "tests/unit/sweep/fakes.hpp"
#include "tools/work/portfolio.hpp"

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
  for (const MissingPairs& pairs : missing)
    EXPECT_TRUE(
        measure_pairs(target_, before, pairs, {report_, {}, compilers, evaluator, store_, stop}));
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
  EXPECT_FALSE(measure_pairs(target_, seen, missing.front(),
                             {report_, {}, compilers, evaluator, store_, stop}));
  EXPECT_EQ(store_.sweeps({}).size(), 2u);
}

}  // namespace
}  // namespace tilewright::tools
