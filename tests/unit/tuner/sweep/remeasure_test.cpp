#include "tuner/sweep/run/sweep.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/sweep/fakes.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

class RemeasureTest : public ::testing::Test {
 protected:
  Candidate block(std::int64_t size) const {
    return {&copy_.implementation, {{{"BLOCK", size}, {"UNUSED", 0}}}};
  }
  std::vector<Trial> measure(const std::vector<Candidate>& candidates) {
    return remeasure(copy_.request, candidates, compilers_, evaluator_, stop_);
  }

  CopyDefinition copy_;
  FakeCompilers compilers_;
  FakeEvaluator evaluator_;
  std::atomic<bool> stop_ = false;
};

TEST_F(RemeasureTest, TimesAllSideBySideInTheOrderAskedFor) {
  const auto trials = measure({block(128), block(32), block(64)});
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_DOUBLE_EQ(trials[0].timing->median_us, 1000.0 / 128);
  EXPECT_DOUBLE_EQ(trials[1].timing->median_us, 1000.0 / 32);
  EXPECT_DOUBLE_EQ(trials[2].timing->median_us, 1000.0 / 64);
  for (const Trial& trial : trials) {
    EXPECT_EQ(trial.stage, Stage::final);
    EXPECT_TRUE(trial.verification);
    EXPECT_EQ(trial.code_hash, "-DBLOCK=" + to_text(trial.configuration.values.at("BLOCK")));
    // Even four times as slow takes part in every round.
    EXPECT_EQ(trial.timing->rounds, trials[0].timing->rounds);
    EXPECT_GT(trial.timing->rounds, 1);
  }
}

TEST_F(RemeasureTest, OpensOneSessionWithInputsFromTheSeed) {
  copy_.request.seed = 77;
  measure({block(64)});
  ASSERT_EQ(evaluator_.opened.size(), 1u);
  EXPECT_EQ(evaluator_.opened[0].seed, 77u);
  EXPECT_EQ(evaluator_.opened[0].problems.size(), 2u);  // and the operation's check
}

TEST_F(RemeasureTest, WhatDoesNotCompileFailsAloneWithItsLog) {
  const auto usual = compilers_.compile;
  compilers_.compile = [usual](const CompileRequest& request) {
    CompileResult result = usual(request);
    if (has_option(request, "-DBLOCK=32")) {
      result.outcome = Outcome::compile_failed;
      result.log = "error: 32";
    }
    return result;
  };
  const auto trials = measure({block(32), block(64)});
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[0].outcome, Outcome::compile_failed);
  EXPECT_EQ(trials[0].message, "error: 32");
  EXPECT_EQ(trials[1].outcome, Outcome::measured);
}

TEST_F(RemeasureTest, CodeWithoutTheKernelIsNotLoaded) {
  compilers_.compile = [](const CompileRequest&) { return CompileResult{}; };
  const auto trials = measure({block(64)});
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials[0].outcome, Outcome::compile_failed);
  EXPECT_NE(trials[0].message.find("no kernel 'copy'"), std::string::npos);
  EXPECT_EQ(evaluator_.loads, 0);
  EXPECT_TRUE(evaluator_.opened.empty());
}

TEST_F(RemeasureTest, AWrongAnswerIsItsTrialAndTheOthersAreMeasured) {
  evaluator_.on_verify = [](std::int64_t block) -> Attempt<Verification> {
    if (block == 64) return Failure{Outcome::wrong_answer, "out[3] is 1, not 2"};
    return Verification{};
  };
  const auto trials = measure({block(64), block(128)});
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[0].outcome, Outcome::wrong_answer);
  EXPECT_EQ(trials[0].message, "out[3] is 1, not 2");
  EXPECT_FALSE(trials[0].timing);
  EXPECT_EQ(trials[1].outcome, Outcome::measured);
}

TEST_F(RemeasureTest, WhatTheDeviceCannotRunIsUnsupported) {
  copy_.implementation.requires_architecture = "sm_100a";
  const auto trials = measure({block(64)});
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials[0].outcome, Outcome::unsupported);
  EXPECT_NE(trials[0].message.find("sm_100a"), std::string::npos);
  EXPECT_TRUE(compilers_.requests.empty());
}

// A card that boosts while it rests, and that its power limit slows down under load.
TEST_F(RemeasureTest, TakesAsLongAsTheFinalDid) {
  copy_.request.policy.cache = CachePolicy::cold;
  double slowness = 1;
  evaluator_.on_sample = [&] { slowness = evaluator_.lead_ins_us.back() > 0 ? 1.12 : 1; };
  evaluator_.time_us = [&](std::int64_t block) {
    return slowness * 1000 / static_cast<double>(block);
  };
  evaluator_.sm_mhz = [&] { return 1755 / slowness; };
  Recorder recorder;
  run_sweep(copy_.request, build_spaces(copy_.request), compilers_, evaluator_, recorder, stop_);
  ASSERT_EQ(recorder.trials.back().stage, Stage::final);
  slowness = 1;  // it has rested
  for (const Trial& trial : measure({block(128), block(64), block(32)})) {
    const auto final = std::ranges::find_if(recorder.trials, [&](const Trial& one) {
      return one.stage == Stage::final && one.configuration == trial.configuration;
    });
    ASSERT_NE(final, recorder.trials.end());
    EXPECT_DOUBLE_EQ(trial.timing->median_us, final->timing->median_us);
    EXPECT_DOUBLE_EQ(trial.timing->sm_mhz, final->timing->sm_mhz);
    EXPECT_NEAR(trial.timing->sm_mhz, 1755 / 1.12, 1e-9);
  }
}

TEST_F(RemeasureTest, StoppedItGivesNothing) {
  evaluator_.on_sample = [this] { stop_ = true; };
  EXPECT_TRUE(measure({block(64), block(128)}).empty());
}

TEST_F(RemeasureTest, AMissingSourceIsBadInput) {
  copy_.implementation.source = "/nowhere/copy.cu";
  EXPECT_THROW(measure({block(64)}), InputError);
}

}  // namespace
}  // namespace tilewright::test
