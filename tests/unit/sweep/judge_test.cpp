// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/sweep/judge.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sweep/fakes.hpp"

namespace tilewright::testing {
namespace {

class JudgeTest : public ::testing::Test {
 protected:
  Candidate candidate(std::int64_t block, std::int64_t unused = 0) {
    return {&copy.implementation, {{{"BLOCK", block}, {"UNUSED", unused}}}};
  }
  CompileResult code(std::int64_t block) {
    CompileRequest request;
    request.options = {"-DBLOCK=" + std::to_string(block)};
    return FakeCompilers().compile(request);
  }

  CopyDefinition copy;
  FakeEvaluator evaluator;
  Judge judge{copy.request, evaluator, {copy.request.problem}};
};

TEST_F(JudgeTest, MeasuredTrialHoldsEverything) {
  const Trial trial = judge.screen(candidate(64), code(64));
  EXPECT_EQ(trial.outcome, Outcome::measured);
  EXPECT_EQ(trial.implementation, "copy/plain");
  EXPECT_EQ(trial.code_hash, "-DBLOCK=64");
  ASSERT_TRUE(trial.resources && trial.verification && trial.timing);
  EXPECT_EQ(trial.resources->threads, 64);
  EXPECT_DOUBLE_EQ(trial.timing->median_us, 1000.0 / 64);
}

TEST_F(JudgeTest, AWorkerKilledFromOutsideIsNotTheConfigurationsFault) {
  evaluator.on_load = [this]() -> std::optional<Failure> {
    if (evaluator.loads > 1) return std::nullopt;
    return Failure{Outcome::faulted, "killed", Failure::Cause::outside};
  };
  EXPECT_EQ(judge.screen(candidate(64), code(64)).outcome, Outcome::measured);
  EXPECT_EQ(evaluator.loads, 2);
}

TEST_F(JudgeTest, KilledAgainItIsFaulted) {
  evaluator.on_load = [] { return Failure{Outcome::faulted, "killed", Failure::Cause::outside}; };
  const Trial trial = judge.screen(candidate(64), code(64));
  EXPECT_EQ(trial.outcome, Outcome::faulted);
  EXPECT_EQ(trial.message, "killed");
  EXPECT_EQ(evaluator.loads, 2);
}

TEST_F(JudgeTest, AFaultOfTheKernelCostsTheConfigurationAtOnce) {
  evaluator.on_load = [] { return Failure{Outcome::faulted, "trap"}; };
  EXPECT_EQ(judge.screen(candidate(64), code(64)).outcome, Outcome::faulted);
  EXPECT_EQ(evaluator.loads, 1);
}

TEST_F(JudgeTest, LooksAtTheMachineAfterATrial) {
  BlindMonitor monitor("no eyes");
  copy.request.monitor = &monitor;
  Judge watching(copy.request, evaluator, {copy.request.problem});
  EXPECT_EQ(watching.watch().summary().readings, 0u);
  watching.screen(candidate(64), code(64));
  EXPECT_EQ(watching.watch().summary().readings, 1u);
}

TEST_F(JudgeTest, EqualCodeIsMeasuredOnce) {
  judge.screen(candidate(64, 0), code(64));
  const Trial second = judge.screen(candidate(64, 1), code(64));
  EXPECT_EQ(second.outcome, Outcome::duplicate);
  EXPECT_NE(second.message.find("UNUSED=0"), std::string::npos);
  EXPECT_EQ(evaluator.loads, 1);
}

TEST_F(JudgeTest, CodeWithoutTheKernelIsAFailedCompile) {
  CompileResult other = code(64);
  other.entries = {};
  const Trial trial = judge.screen(candidate(64), other);
  EXPECT_EQ(trial.outcome, Outcome::compile_failed);
  EXPECT_NE(trial.message.find("'copy'"), std::string::npos);
}

TEST_F(JudgeTest, CodeOfAnEarlierRunCountsAsSeen) {
  Trial earlier;
  earlier.outcome = Outcome::measured;
  earlier.code_hash = "-DBLOCK=64";
  judge.remember(candidate(64, 0), earlier);
  EXPECT_EQ(judge.screen(candidate(64, 1), code(64)).outcome, Outcome::duplicate);
}

TEST_F(JudgeTest, MeasuresAsManySamplesAsAskedFor) {
  Trial trial = judge.screen(candidate(64), code(64));
  evaluator.time_us = [](std::int64_t) { return 1e9; };  // over any budget
  trial.verification.reset();
  judge.measure(trial, judge.plan(candidate(64), code(64)), 3, Judge::Verify::no);
  EXPECT_EQ(trial.timing->samples_us, (std::vector<double>{1e9, 1e9, 1e9}));
  EXPECT_FALSE(trial.verification);
  judge.measure(trial, judge.plan(candidate(64), code(64)), 3, Judge::Verify::yes);
  EXPECT_TRUE(trial.verification);
}

TEST_F(JudgeTest, TheRaceGivesUpInStages) {
  evaluator.time_us = [](std::int64_t block) {
    return block == 32 ? 100.0 : block == 64 ? 120.0 : 200.0;
  };
  EXPECT_EQ(judge.screen(candidate(32), code(32)).timing->samples_us.size(), 20u);
  EXPECT_EQ(judge.screen(candidate(64), code(64)).timing->samples_us.size(), 8u);
  EXPECT_EQ(judge.screen(candidate(128), code(128)).timing->samples_us.size(), 3u);
}

TEST_F(JudgeTest, WithoutARaceEverythingIsMeasuredToTheEnd) {
  copy.request.race.clear();
  evaluator.time_us = [](std::int64_t block) { return block == 32 ? 100.0 : 200.0; };
  judge.screen(candidate(32), code(32));
  EXPECT_EQ(judge.screen(candidate(128), code(128)).timing->samples_us.size(), 20u);
}

TEST_F(JudgeTest, TheRaceFollowsTheAnchorsDrift) {
  double speed = 1;
  evaluator.time_us = [&](std::int64_t block) { return speed * (block == 32 ? 100.0 : 101.0); };
  judge.screen(candidate(32), code(32));
  speed = 1.3;  // beyond the second gate
  for (std::int64_t i = 0; i < 50; ++i) {
    CompileResult other = code(64);
    other.code_hash += std::to_string(i);
    judge.screen(candidate(64), other);
  }
  EXPECT_EQ(judge.drift().readings(), 2);
  EXPECT_DOUBLE_EQ(judge.drift().factor(), 1.3);
  EXPECT_EQ(judge.screen(candidate(128), code(128)).timing->samples_us.size(), 20u);
}

}  // namespace
}  // namespace tilewright::testing
