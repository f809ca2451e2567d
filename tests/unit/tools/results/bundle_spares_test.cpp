#include <gtest/gtest.h>

#include <sstream>

#include "runtime/bundle_maker.hpp"
#include "tests/unit/tuner/sweep/fakes.hpp"
#include "tools/results/portfolio.hpp"

namespace tilewright::tools {
namespace {

using tilewright::test::CopyDefinition;

Configuration wide(std::int64_t size) {
  return {{{"BLOCK", size}, {"UNUSED", 0}}};
}

// Three sizes of the copy; 128 is the fastest for each, 32 a little slower, 64 the default.
class BundleSparesTest : public ::testing::Test {
 protected:
  BundleSparesTest() {
    spares_.operation = "copy";
    spares_.device = copy_.request.device;
    for (const std::int64_t n : {64, 128, 256}) tune(n);
  }
  ~BundleSparesTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void tune(std::int64_t n) {
    SweepKey key;
    key.operation = "copy";
    key.problem = {"copy", {{"N", n}}};
    key.device = copy_.request.device;
    key.implementations = {{"copy/plain", 1, "a", "b", wide(64)}};
    const SweepRecord sweep = store_.begin_sweep(key, {}, Store::Start::fresh);
    for (const auto& [size, us] :
         {std::pair(128, 10.0), std::pair(32, 10.1), std::pair(64, 15.0)}) {
      Trial trial;
      trial.implementation = "copy/plain";
      trial.configuration = wide(size);
      trial.outcome = Outcome::measured;
      trial.timing = summarise({us, us, us}, 1, 0);
      trial.verification.emplace();
      store_.add_trial(sweep.id, trial);
    }
    store_.finish_sweep(sweep.id, "{}");
  }

  void choose(const Store* store) {
    Target target;
    target.family = std::make_shared<const Family>(Family{copy_.operation, {copy_.implementation}});
    target.implementations = {&target.family->implementations.front()};
    choose_spares(spares_, target, store, lines_);
  }

  CopyDefinition copy_;
  BundleSpares spares_;
  std::ostringstream lines_;
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tilewright-spares-" + std::to_string(::getpid()));
  Store store_{folder_ / "s.db"};
};

TEST_F(BundleSparesTest, AreAPortfolioWithItsTimes) {
  choose(&store_);
  EXPECT_EQ(spares_.problems.size(), 3U);
  ASSERT_EQ(spares_.rows.size(), 3U);
  for (const BestRow& row : spares_.rows) {
    EXPECT_EQ(row.configuration, wide(128));
    EXPECT_DOUBLE_EQ(row.trial.timing->median_us, 10);
    EXPECT_TRUE(row.trial.verification);
    EXPECT_EQ(row.device, spares_.device);
  }
  ASSERT_EQ(spares_.portable.size(), 2U) << "the portfolio and the default";
  EXPECT_EQ(spares_.portable[0].configuration, wide(128));
  EXPECT_EQ(spares_.portable[1].configuration, wide(64));
  EXPECT_NE(lines_.str().find("portfolio"), std::string::npos) << lines_.str();
}

TEST_F(BundleSparesTest, LeaveOutCodeForOneSize) {
  copy_.implementation.compiled_in = {{"N", Expression::parse("BLOCK == 128")}};
  choose(&store_);
  ASSERT_EQ(spares_.rows.size(), 3U);
  EXPECT_EQ(spares_.rows.front().configuration, wide(32));
  EXPECT_DOUBLE_EQ(spares_.rows.front().trial.timing->median_us, 10.1);
}

TEST_F(BundleSparesTest, WithoutAStoreThereIsNoPortfolio) {
  spares_.problems = {{"copy", {{"N", 7}}}};
  choose(nullptr);
  EXPECT_TRUE(spares_.rows.empty() && spares_.portable.empty() && lines_.str().empty());
  EXPECT_EQ(spares_.problems.size(), 1U);
}

}  // namespace
}  // namespace tilewright::tools
