// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace tilewright::testing {
namespace {

class SweepWithoutDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (why_no_device().empty()) GTEST_SKIP() << "this machine has a device";
  }
  TemporaryFolder home_;
};

TEST_F(SweepWithoutDevice, SaysWhyInOneSentenceAndWritesNothing) {
  const Finished finished = run_tilewright(home_.path(), {"sweep", "gemm", "M=N=K=64"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "");
  EXPECT_NE(finished.err.find("there is no device"), std::string::npos) << finished.err;
  if (why_no_compiler().empty()) {
    EXPECT_NE(finished.err.find("tilewright plan"), std::string::npos) << finished.err;
  }
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  EXPECT_TRUE(is_untouched(home_.path()));
}

TEST_F(SweepWithoutDevice, ListsNoneWithTheReason) {
  const Finished finished = run_tilewright(home_.path(), {"devices"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_EQ(finished.out, "");
  EXPECT_NE(finished.err.find("no device: "), std::string::npos);
  const Finished json = run_tilewright(home_.path(), {"devices", "--json"});
  EXPECT_NE(json.out.find("\"why\""), std::string::npos) << json.out;
}

// A build without the CUDA backend, or a machine without NVRTC.
TEST(PlanWithoutCompiler, SaysWhyInOneSentence) {
  if (why_no_compiler().empty()) GTEST_SKIP() << "this machine has a compiler";
  const TemporaryFolder home;
  const Finished finished = run_tilewright(
      home.path(), {"plan", "gemm/naive", "M=N=K=64", "--arch", "sm_90", "--compile", "1"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
}

class SweepOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_device(); !why.empty()) GTEST_SKIP() << why;
    if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  }

  Finished sweep(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"sweep", "gemm", "M=N=K=256", "--budget", "12"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tilewright(home_.path(), words);
  }

  nlohmann::json sweeps() const {
    return nlohmann::json::parse(run_tilewright(home_.path(), {"results", "--json"}).out)
        .at("sweeps");
  }

  TemporaryFolder home_;
};

TEST_F(SweepOnDevice, MeasuresAndKeepsTheBest) {
  const Finished finished = sweep({"--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = nlohmann::json::parse(finished.out);
  EXPECT_EQ(json.at("report").at("end"), "finished");
  EXPECT_EQ(json.at("report").at("tried"), 12);
  ASSERT_FALSE(json.at("winners").empty());
  const auto& winner = json.at("winners").at(0);
  EXPECT_GT(winner.at("timing").at("median_us"), 0);

  const Finished best = run_tilewright(
      home_.path(), {"best", "gemm", "M=N=K=256", "--format", "json", "--require", "exact"});
  ASSERT_EQ(best.status, 0) << best.err;
  const auto answer = nlohmann::json::parse(best.out);
  EXPECT_EQ(answer.at("configuration"), winner.at("configuration"));
  EXPECT_EQ(answer.at("implementation"), winner.at("implementation"));
}

TEST_F(SweepOnDevice, AnswersARepeatFromTheStoreUntilAskedForAFreshOne) {
  const Finished first = sweep({});
  ASSERT_EQ(first.status, 0) << first.err;
  const Finished again = sweep({});
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.out, first.out);
  EXPECT_NE(again.err.find("already finished"), std::string::npos) << again.err;
  EXPECT_EQ(sweeps().size(), 1U);
  EXPECT_EQ(sweep({"--fresh"}).status, 0);
  EXPECT_EQ(sweeps().size(), 2U);
}

TEST_F(SweepOnDevice, AnInterruptKeepsWhatIsDoneAndTheNextRunGoesOn) {
  const std::vector<std::string> words = {"sweep", "gemm/tiled", "M=N=K=1024", "--budget", "150"};
  std::vector<std::string> slowly = words;  // one compiler takes a minute for these
  slowly.insert(slowly.end(), {"--jobs", "1"});
  const Finished interrupted = run_tilewright(home_.path(), slowly, {}, std::chrono::seconds(8));
  ASSERT_EQ(interrupted.status, 130) << interrupted.err;
  EXPECT_NE(interrupted.err.find("interrupted; "), std::string::npos) << interrupted.err;
  const Finished resumed = run_tilewright(home_.path(), words);
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("going on with"), std::string::npos) << resumed.err;
  ASSERT_EQ(sweeps().size(), 1U);
  EXPECT_GT(sweeps().at(0).at("finished"), 0);
}

TEST_F(SweepOnDevice, NothingLegalIsStatusOneWithTheCuts) {
  const Finished finished = run_tilewright(
      home_.path(), {"sweep", "gemm/naive", "M=N=K=64", "--where", "BLOCK_X > 1000"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.out.find("--where"), std::string::npos) << finished.out;
  EXPECT_FALSE(std::filesystem::exists(database_in(home_.path())));
}

TEST_F(SweepOnDevice, ADeviceThatIsNotThereIsNamedWithThosePresent) {
  const Finished finished =
      run_tilewright(home_.path(), {"sweep", "gemm", "M=64", "--device", "cuda:99"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_NE(finished.err.find("present: cuda:0"), std::string::npos) << finished.err;
}

}  // namespace
}  // namespace tilewright::testing
