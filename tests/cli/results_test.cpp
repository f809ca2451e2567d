#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "db/tables/sqlite.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

class Results : public ::testing::Test {
 protected:
  void SetUp() override { uuid_ = add_sample_sweep(database_in(home_.path())); }
  Finished run(const std::vector<std::string>& words) const {
    return run_tilewright(home_.path(), words);
  }
  TemporaryFolder home_;
  std::string uuid_;
};

TEST_F(Results, ListTheSweepAndItsTrials) {
  const Finished list = run({"results"});
  EXPECT_EQ(list.status, 0);
  EXPECT_NE(list.out.find(uuid_.substr(0, 8)), std::string::npos) << list.out;
  const Finished trials = run({"results", "--sweep", uuid_.substr(0, 6), "--json"});
  ASSERT_EQ(trials.status, 0) << trials.err;
  const auto json = nlohmann::json::parse(trials.out);
  EXPECT_EQ(json.at("sweep"), uuid_);
  ASSERT_EQ(json.at("trials").size(), 6U);
  EXPECT_DOUBLE_EQ(json.at("trials").at(0).at("timing").at("median_us"), 100);
  EXPECT_EQ(run({"results", "--sweep", "zzzz"}).status, 2);
  EXPECT_EQ(run({"results", "conv1d"}).status, 1);
}

TEST_F(Results, OfAnUnknownNameOrAnotherOperationAreRefused) {
  const auto expect_refused = [this](const std::vector<std::string>& words,
                                     const std::string& part) {
    const Finished finished = run(words);
    EXPECT_EQ(finished.status, 2) << part;
    EXPECT_NE(finished.err.find(part), std::string::npos) << finished.err;
  };
  expect_refused({"results", "gem"}, "no operation 'gem'; did you mean 'gemm'?");
  expect_refused({"results", "gemm/tilde"}, "did you mean 'tiled'?");
  expect_refused({"results", "conv1d", "--sweep", uuid_},
                 uuid_.substr(0, 8) + " is of gemm, and not of what is asked for");
}

TEST_F(Results, ListTheNewestAndCountTheOthers) {
  std::vector<std::string> uuids = {uuid_};
  for (const char* device : {"second", "third"})
    uuids.push_back(add_sample_sweep(database_in(home_.path()), sample_device(device)));
  const Finished list = run({"results", "gemm", "--limit", "2"});
  const std::string& out = list.out;
  EXPECT_LT(out.find(uuids[2].substr(0, 8)), out.find(uuids[1].substr(0, 8))) << out;
  EXPECT_NE(out.find(uuids[1].substr(0, 8)), std::string::npos) << out;
  EXPECT_EQ(out.find(uuids[0].substr(0, 8)), std::string::npos) << out;
  EXPECT_EQ(list.err, "1 more; --all shows them\n");
  EXPECT_EQ(run({"results", "gemm", "--all"}).err, "");
}

TEST_F(Results, ABadNewestSweepDoesNotHideTheOthers) {
  const std::filesystem::path database = database_in(home_.path());
  add_sample_sweep(database, sample_device("second"));
  execute(database, "UPDATE sweep SET finished = -1 WHERE id = (SELECT max(id) FROM sweep)");
  const Finished newest = run({"results", "gemm", "--limit", "1"});
  EXPECT_EQ(newest.status, 0) << newest.err;
  EXPECT_NE(newest.err.find("cannot be used"), std::string::npos) << newest.err;
  EXPECT_NE(newest.err.find("1 more; --all shows them\n"), std::string::npos) << newest.err;
  EXPECT_NE(run({"results", "gemm"}).out.find(uuid_.substr(0, 8)), std::string::npos);
}

TEST_F(Results, ShowTheWinnerWithItsMarginsAboveTheTrials) {
  const std::string out = run({"results", "--sweep", uuid_}).out;
  EXPECT_NE(
      out.find(
          "gemm/naive  100 µs (100 µs to 100 µs); runner-up 1.5x slower (95 % 1.50x to 1.50x); "
          "default 2.0x slower (95 % 2.00x to 2.00x)\n  BLOCK_X=128 BLOCK_Y=4\n"),
      std::string::npos)
      << out;
  EXPECT_LT(out.find("runner-up"), out.find("95 % interval"));
  for (const char* part : {"spread", "samples", "6 in 6", "1980", "screen",
                           "3 measured; 3 of them again in the final"})
    EXPECT_NE(out.find(part), std::string::npos) << part << " in " << out;
  EXPECT_EQ(out.find("µs:"), std::string::npos) << out;
}

// It lost a tie because it needs more clock cycles.
TEST_F(Results, ShowTheIntervalOfAFasterDefaultInItsDirection) {
  const std::filesystem::path file = database_in(home_.path());
  set_times(file, "median_us = 200", {99.2, 99.2, 99.2, 99.2, 99.2, 100.5});
  {
    Database database(file, Database::Mode::read_write, std::chrono::seconds(30));
    database.execute(
        "UPDATE trial SET sm_mhz = CASE median_us WHEN 100 THEN 1800 ELSE 1900 END "
        "WHERE median_us < 150");
  }
  const std::string out = run({"results", "--sweep", uuid_}).out;
  EXPECT_NE(out.find("gemm/naive  100 µs (100 µs to 100 µs); a tie with the runner-up; "
                     "default 1.01x faster (95 % 1.00x to 1.01x)\n"),
            std::string::npos)
      << out;
}

TEST_F(Results, OfAConfigurationSayHowFarItIsBehind) {
  const auto explained = [this](const std::vector<std::string>& settings) {
    std::vector<std::string> words = {"explain", "gemm/naive", "M=N=K=512", "--device", "9000"};
    words.insert(words.end(), settings.begin(), settings.end());
    return run(words).out;
  };
  const std::string slower = explained({"BLOCK_X=32", "BLOCK_Y=8"});
  EXPECT_NE(slower.find(", rank 2 of 3, 1.5x slower than the best\n"), std::string::npos) << slower;
  set_times(database_in(home_.path()), "median_us = 150", std::vector<double>(6, 100.2));
  const std::string equal = explained({"BLOCK_X=32", "BLOCK_Y=8"});
  EXPECT_NE(equal.find(", rank 2 of 3, as fast as the best\n"), std::string::npos) << equal;
}

TEST_F(Results, ShowEachSampleOnRequestALineForEachRound) {
  const std::string out = run({"results", "--sweep", uuid_, "--samples", "--limit", "1"}).out;
  std::string lines = "  winner: BLOCK_X=128 BLOCK_Y=4\n";
  for (int round = 0; round < 6; ++round) lines += "  µs: 100\n";
  EXPECT_TRUE(out.ends_with(lines)) << out;
  EXPECT_NE(
      run({"results", "--sweep", uuid_, "--samples"}).out.find("  µs: 150 150 150 150 150 150\n"),
      std::string::npos);
}

TEST_F(Results, AsJsonHoldEverything) {
  const auto json =
      nlohmann::json::parse(run({"results", "--sweep", uuid_, "--json", "--limit", "1"}).out);
  const auto& winner = json.at("winners").at(0);
  EXPECT_EQ(winner.at("implementation"), "gemm/naive");
  EXPECT_EQ(winner.at("configuration").at("BLOCK_X"), 128);
  EXPECT_EQ(winner.at("tie"), false);
  EXPECT_DOUBLE_EQ(winner.at("runner_up").at("ratio"), 1.5);
  EXPECT_DOUBLE_EQ(winner.at("default").at("ratio_low"), 2);
  ASSERT_EQ(json.at("trials").size(), 1U);
  const auto& timing = json.at("trials").at(0).at("timing");
  EXPECT_EQ(timing.at("samples_us").size(), 6U);
  EXPECT_EQ(timing.at("rounds"), 6);
  EXPECT_DOUBLE_EQ(timing.at("interval_high_us"), 100);
  EXPECT_EQ(json.at("trials").at(0).at("verification").at("outputs_checked"), 262144);
}

TEST_F(Results, SayWhyATrialHasNoTime) {
  Store store(database_in(home_.path()));
  SweepKey key = store.sweeps({}).at(0).key;
  key.seed = 2;
  const auto sweep = store.begin_sweep(key, {}, Store::Start::fresh);
  Trial trial;
  trial.implementation = "gemm/naive";
  trial.configuration = {{{"BLOCK_X", 64}, {"BLOCK_Y", 16}}};
  trial.outcome = Outcome::faulted;
  trial.message = "an illegal address\nand more";
  store.add_trial(sweep.id, trial);
  const std::string out = run({"results", "--sweep", sweep.uuid}).out;
  EXPECT_NE(out.find("faulted  screen\n  BLOCK_X=64 (1 other: default)\n  an illegal address\n"),
            std::string::npos)
      << out;
  EXPECT_EQ(out.find("and more"), std::string::npos);
}

TEST(ResultsWithoutAnAnswer, AnUnfinishedSweepHasANullReport) {
  const TemporaryFolder home;
  add_unfinished_sweep(database_in(home.path()));
  const Finished list = run_tilewright(home.path(), {"results", "--json"});
  const auto sweep = nlohmann::json::parse(list.out).at("sweeps").at(0);
  EXPECT_TRUE(sweep.at("report").is_null());
  EXPECT_EQ(sweep.at("finished"), 0);
  EXPECT_EQ(run_tilewright(home.path(), {"export"}).status, 1);
}

TEST(ResultsWithoutAnAnswer, AMissingDatabaseIsNamed) {
  const TemporaryFolder home;
  for (const char* subcommand : {"results", "export"}) {
    const Finished finished = run_tilewright(home.path(), {subcommand, "--db", home / "typo.db"});
    EXPECT_EQ(finished.status, 1);
    EXPECT_NE(finished.err.find("typo.db"), std::string::npos) << finished.err;
  }
  EXPECT_TRUE(is_untouched(home.path()));
}

}  // namespace
}  // namespace tilewright::test
