#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright::test {
namespace {

// gemm/naive with two times for each of a few sizes: the small ones want 8 × 4, the others
// 32 × 1.
class PortfolioCommand : public ::testing::Test {
 protected:
  void tune(const std::vector<std::int64_t>& sizes) const {
    Store store(database_in(home_.path()));
    for (const std::int64_t size : sizes) {
      SweepKey key;
      key.operation = "gemm";
      key.problem = sample_problem();
      for (const char* name : {"M", "N", "K", "lda", "ldb", "ldc"}) key.problem.values[name] = size;
      for (const char* name : {"stride_a", "stride_b", "stride_c"})
        key.problem.values[name] = size * size;
      key.device = sample_device();
      key.implementations = {{"gemm/naive", 1, "", "space", block(32, 1)}};
      const SweepRecord record = store.begin_sweep(key, {}, Store::Start::fresh);
      store.add_trials(record.id, {trial(block(32, 1), size < 100 ? 104 : 100),
                                   trial(block(8, 4), size < 100 ? 100 : 104)});
      store.finish_sweep(record.id, "{}");
    }
  }

  static Configuration block(std::int64_t x, std::int64_t y) {
    return {{{"BLOCK_X", x}, {"BLOCK_Y", y}}};
  }

  static Trial trial(const Configuration& configuration, double us) {
    Trial trial;
    trial.implementation = "gemm/naive";
    trial.configuration = configuration;
    trial.outcome = Outcome::measured;
    trial.timing = summarise({us, us, us}, 1, 0);
    return trial;
  }

  Finished portfolio(std::vector<std::string> words) const {
    words.insert(words.begin(), {"portfolio", "gemm", "--device", "test 9000"});
    return run_tilewright(home_.path(), words);
  }

  TemporaryFolder home_;
};

TEST_F(PortfolioCommand, ListsWhoServesWhatWithWhichLoss) {
  tune({32, 64, 128, 256, 512});
  const Finished wide = portfolio({"--within", "5%"});
  EXPECT_EQ(wide.status, 0) << wide.err;
  for (const char* part : {"5 of 5 tuned problems served within 5.0 % by 1 configuration",
                           "1. gemm/naive BLOCK_X=32 BLOCK_Y=1", "worst loss 4.0 %", "M=N=K=256"})
    EXPECT_NE(wide.out.find(part), std::string::npos) << part << " in\n" << wide.out;

  const Finished narrow = portfolio({"--json"});
  ASSERT_EQ(narrow.status, 0) << narrow.err;
  const auto json = nlohmann::json::parse(narrow.out);
  ASSERT_EQ(json.at("portfolio").size(), 2u) << narrow.out;
  EXPECT_EQ(json.at("is_fewest"), true);
  EXPECT_EQ(json.at("portfolio")[0].at("serves").size(), 3u);
  EXPECT_EQ(json.at("portfolio")[1].at("serves")[0].at("problem").at("M"), 32);
  EXPECT_EQ(json.at("worst_loss"), 0);

  const Finished one = portfolio({"--at-most", "1"});
  EXPECT_EQ(one.status, 1);
  EXPECT_NE(one.out.find("not served: M=N=K=32"), std::string::npos) << one.out;
}

TEST_F(PortfolioCommand, IsThenWhatAnOddSizeGets) {
  tune({32, 64, 80, 96});
  const Finished best =
      run_tilewright(home_.path(), {"best", "gemm/naive", "M=N=K=33", "--device", "test 9000",
                                    "--shipped", "none", "--format", "json"});
  ASSERT_EQ(best.status, 0) << best.err;
  const auto json = nlohmann::json::parse(best.out);
  EXPECT_EQ(json.at("rung_name"), "portable") << best.out;
  EXPECT_EQ(json.at("portable").at("tuned"), 4);
}

TEST_F(PortfolioCommand, SaysWhatIsMissingOrWrong) {
  EXPECT_EQ(portfolio({}).status, 1);
  tune({32});
  const Finished absent = portfolio({"--measure"});
  EXPECT_EQ(absent.status, 3);
  EXPECT_NE(absent.err.find("is not here"), std::string::npos) << absent.err;
  EXPECT_EQ(portfolio({"--within", "3"}).status, 2);
  EXPECT_EQ(portfolio({"--at-most", "0"}).status, 2);
  EXPECT_EQ(portfolio({"M=32"}).status, 2);
}

TEST_F(PortfolioCommand, MeasuresMissingPairsOnTheHost) {
  const auto sweep = [&](const std::string& size, const std::string& where) {
    return run_tilewright(home_.path(), {"sweep", "gemm/naive", "M=N=K=" + size, "--device", "host",
                                         "--where", where});
  };
  ASSERT_EQ(sweep("16", "BLOCK_X == 16 && BLOCK_Y == 16").status, 0);
  ASSERT_EQ(sweep("24", "BLOCK_X == 32 && BLOCK_Y == 8").status, 0);
  const auto ask = [&] {
    return run_tilewright(home_.path(), {"portfolio", "gemm/naive", "--device", "host", "--within",
                                         "100000%", "--json", "--measure"});
  };
  const Finished finished = ask();
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(nlohmann::json::parse(finished.out).at("portfolio").size(), 1u) << finished.out;
  const Store store(database_in(home_.path()), Store::Mode::read_only);
  const std::size_t sweeps = store.sweeps({}).size();
  EXPECT_GT(sweeps, 2u);
  EXPECT_EQ(ask().status, 0);
  EXPECT_EQ(store.sweeps({}).size(), sweeps) << "nothing is missing any more";
}

}  // namespace
}  // namespace tilewright::test
