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

TEST_F(JudgeTest, FinalSamplesAddUp) {
  Trial trial = judge.screen(candidate(64), code(64));
  const KernelPlan kernel = judge.plan(candidate(64), code(64));
  std::vector<double> samples;
  evaluator.time_us = [](std::int64_t) { return 3.0; };
  judge.measure_again(trial, kernel, samples);
  evaluator.time_us = [](std::int64_t) { return 5.0; };
  judge.measure_again(trial, kernel, samples);
  EXPECT_EQ(trial.timing->samples_us, (std::vector<double>{3.0, 5.0}));
  EXPECT_DOUBLE_EQ(trial.timing->median_us, 4.0);
}

}  // namespace
}  // namespace tilewright::testing
