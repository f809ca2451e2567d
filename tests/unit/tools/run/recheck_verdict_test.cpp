#include <gtest/gtest.h>

#include "tilewright/statistics.hpp"
#include "tools/run/recheck.hpp"

namespace tilewright::tools {
namespace {

// Ten rounds of one sample each, `step` µs apart around the median.
Timing timing(double median_us, double step = 0) {
  std::vector<double> samples;
  for (int i = 0; i < 10; ++i) samples.push_back(median_us + step * (i - 4.5));
  return summarise(samples, 1, 0, 10);
}

Trial measured(std::int64_t block, const Timing& timing) {
  Trial trial;
  trial.implementation = "copy/plain";
  trial.configuration = {{{"BLOCK", block}}};
  trial.outcome = Outcome::measured;
  trial.stage = Stage::final;
  trial.code_hash = "c0de";
  trial.timing = timing;
  return trial;
}

Trial wrong(std::int64_t block) {
  Trial trial = measured(block, timing(1));
  trial.outcome = Outcome::wrong_answer;
  trial.message = "out[3] is 1, not 2";
  trial.timing.reset();
  return trial;
}

Contenders stored(const Timing& timing) {
  return {measured(64, timing)};
}

// What is measured now: the winner, the runner-up, the default.
Contenders now(const Trial& winner, const std::optional<Trial>& runner_up = {},
               const std::optional<Trial>& standard = {}) {
  return {winner, {runner_up, standard}};
}

// At a clock.
Timing timing_at(double mhz, double median_us) {
  Timing result = timing(median_us);
  result.sm_mhz = mhz;
  return result;
}

// Of a robust sweep.
Trial twice(std::int64_t block, double cold_us, double warm_us) {
  Trial trial = measured(block, timing(cold_us));
  trial.warm_timing = timing(warm_us);
  return trial;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RecheckVerdict, HoldsWithinTheStoredIntervalWidenedByTwoPercent) {
  const Contenders row = stored(timing(100));
  for (const double us : {98.1, 100.0, 101.9}) {
    const Confirmation finding = judge(row, now(measured(64, timing(us))));
    EXPECT_EQ(finding.verdict, Verdict::holds) << us;
    EXPECT_EQ(finding.message, "");
  }
  for (const double us : {97.9, 102.1})
    EXPECT_EQ(judge(row, now(measured(64, timing(us)))).verdict, Verdict::moved) << us;
  // A wide interval now reaches the stored one.
  EXPECT_EQ(judge(row, now(measured(64, timing(110, 3)))).verdict, Verdict::holds);
}

TEST(RecheckVerdict, MovedSaysByHowMuchAndWhetherTheCodeIsAnother) {
  const Contenders row = stored(timing(100));
  Trial winner = measured(64, timing(150));
  EXPECT_EQ(judge(row, now(winner)).message, "1.5x slower than stored");
  winner.code_hash = "beef";
  EXPECT_TRUE(contains(judge(row, now(winner)).message, "its code changed"));
}

TEST(RecheckVerdict, ARivalFasterInEveryRoundIsNamed) {
  const Contenders row = stored(timing(100, 1));
  // Both drift in step: the intervals overlap, the paired ratio does not.
  const Confirmation finding =
      judge(row, now(measured(64, timing(100, 1)), measured(32, timing(97, 1))));
  EXPECT_EQ(finding.verdict, Verdict::moved);
  EXPECT_EQ(finding.message, "the runner-up (BLOCK=32) is 1.03x faster than the winner now");
}

// In another final the winner might have been this one, which is no news.
TEST(RecheckVerdict, ARivalThatMayHaveTiedIsNoNews) {
  const Contenders row = stored(timing(100));
  EXPECT_EQ(judge(row, now(measured(64, timing(100)), measured(32, timing(99.1)))).verdict,
            Verdict::holds);
  EXPECT_EQ(judge(row, now(measured(64, timing(100)), measured(32, timing(98.9)))).verdict,
            Verdict::moved);
}

TEST(RecheckVerdict, AtTheSameClockASlowerTimeHasMoved) {
  const Contenders row = stored(timing_at(1560, 196));
  const Confirmation finding = judge(row, now(measured(64, timing_at(1560, 220))));
  EXPECT_EQ(finding.verdict, Verdict::moved);
  EXPECT_EQ(finding.message, "1.1x slower than stored");
}

TEST(RecheckVerdict, ATimeThatFollowsTheClockHolds) {
  const Contenders row = stored(timing_at(1560, 196));
  const auto judged = [&](double mhz, double us) {
    return judge(row, now(measured(64, timing_at(mhz, us))));
  };
  const Confirmation faster = judged(1755, 175);
  EXPECT_EQ(faster.verdict, Verdict::holds);
  EXPECT_EQ(faster.message,
            "1.1x faster than stored, at another clock: 1755 MHz now, 1560 MHz stored");
  EXPECT_EQ(judged(1404, 196 / 0.9).verdict, Verdict::holds) << "lower, and longer in proportion";
  EXPECT_EQ(judged(1404, 207).verdict, Verdict::holds) << "memory keeps its clock";
  EXPECT_EQ(judged(1404, 196).message, "") << "the stored time needs no reason";
  EXPECT_EQ(judged(1404, 1.1 * 196 / 0.9).verdict, Verdict::moved) << "beyond the clock";
  EXPECT_EQ(judged(1755, 215).verdict, Verdict::moved) << "slower at a higher clock";
  EXPECT_EQ(judged(0, 175).verdict, Verdict::moved) << "the clock is not known";
}

TEST(RecheckVerdict, AtAnotherClockTheRunnerUpMayBeFasterByAsMuch) {
  const Contenders row = stored(timing_at(1560, 196));
  const Trial winner = measured(64, timing_at(1755, 190));
  EXPECT_EQ(judge(row, now(winner, measured(32, timing_at(1755, 175)))).verdict, Verdict::holds);
  EXPECT_EQ(judge(row, now(winner, measured(32, timing_at(1755, 160)))).verdict, Verdict::moved);
}

// Other buffers may change all times of a session; so may other work on the machine.
TEST(RecheckVerdict, WhatSlowsAnUnchangedRivalByAsMuchIsTheMachine) {
  Contenders row = stored(timing(100));
  row.rivals = {measured(32, timing(120)), measured(16, timing(300))};
  const Trial slower = measured(64, timing(110));
  const Confirmation finding = judge(row, now(slower, measured(32, timing(132))));
  EXPECT_EQ(finding.verdict, Verdict::holds);
  EXPECT_EQ(finding.message,
            "1.1x slower than stored, and so is the runner-up, whose code is unchanged");
  EXPECT_TRUE(contains(judge(row, now(slower, {}, measured(16, timing(330)))).message,
                       "so is the default"));
  EXPECT_EQ(judge(row, now(slower, measured(32, timing(120)))).verdict, Verdict::moved);
  EXPECT_EQ(judge(row, now(measured(64, timing(90)), measured(32, timing(132)))).verdict,
            Verdict::moved)
      << "the other way";
}

TEST(RecheckVerdict, ARivalWithOtherCodeTellsNothingOfTheMachine) {
  Contenders row = stored(timing(100));
  row.rivals = {measured(32, timing(120)), {}};
  Trial slower = measured(64, timing(110));
  Trial runner_up = measured(32, timing(132));
  slower.code_hash = runner_up.code_hash = "of another compiler";
  const Confirmation finding = judge(row, now(slower, runner_up));
  EXPECT_EQ(finding.verdict, Verdict::moved);
  EXPECT_EQ(finding.message, "1.1x slower than stored; its code changed");
}

TEST(RecheckVerdict, ARivalIsTheAnchorUnderEachPolicy) {
  Contenders row = stored(timing(100));
  row.winner.warm_timing = timing(80);
  row.rivals.runner_up = twice(32, 110, 90);
  EXPECT_EQ(judge(row, now(twice(64, 100, 88), twice(32, 110, 99))).verdict, Verdict::holds);
  EXPECT_EQ(judge(row, now(twice(64, 100, 88), twice(32, 121, 90))).verdict, Verdict::moved);
}

TEST(RecheckVerdict, ARivalFasterUnderOnePolicyAloneWasSoBefore) {
  Contenders row = stored(timing(105));
  row.winner.warm_timing = timing(105);
  // Beside a third one with 100 and 100 the winner has the least worst ratio.
  EXPECT_EQ(judge(row, now(twice(64, 105, 105), twice(32, 100, 108))).verdict, Verdict::holds);
  EXPECT_EQ(judge(row, now(twice(64, 105, 105), twice(32, 100, 100))).verdict, Verdict::moved);
}

TEST(RecheckVerdict, AWarmTimeMovesToo) {
  Contenders row = stored(timing(100));
  row.winner.warm_timing = timing(80);
  EXPECT_EQ(judge(row, now(twice(64, 100, 80))).verdict, Verdict::holds);
  EXPECT_EQ(judge(row, now(twice(64, 100, 160))).verdict, Verdict::moved);
}

TEST(RecheckVerdict, ATieOrNoiseIsNotFaster) {
  const Contenders row = stored(timing(100));
  const Trial winner = measured(64, timing(100));
  EXPECT_EQ(judge(row, now(winner, measured(32, timing(99.9)))).verdict, Verdict::holds);
  EXPECT_EQ(judge(row, now(winner, {}, measured(16, timing(98, 2)))).verdict, Verdict::holds);
  EXPECT_EQ(judge(row, now(winner, measured(32, timing(120)))).message, "");
}

TEST(RecheckVerdict, ARunnerUpThatIsTheDefaultIsNamedOnce) {
  const Contenders row = stored(timing(100));
  const Trial rival = measured(32, timing(90));
  const std::string message = judge(row, now(measured(64, timing(100)), rival, rival)).message;
  EXPECT_TRUE(contains(message, "the default (BLOCK=32)")) << message;
  EXPECT_FALSE(contains(message, "runner-up")) << message;
}

TEST(RecheckVerdict, AWinnerThatFailsSaysHow) {
  const Confirmation finding =
      judge(stored(timing(100)), now(wrong(64), measured(32, timing(100))));
  EXPECT_EQ(finding.verdict, Verdict::failed);
  EXPECT_EQ(finding.message, "wrong_answer: out[3] is 1, not 2");
}

TEST(RecheckVerdict, ARivalThatFailsIsOnlyNoted) {
  const Confirmation finding =
      judge(stored(timing(100)), now(measured(64, timing(100)), wrong(32)));
  EXPECT_EQ(finding.verdict, Verdict::holds);
  EXPECT_TRUE(contains(finding.message, "the runner-up failed (wrong_answer")) << finding.message;
}

TEST(RecheckVerdict, CodeAloneIsComparedByItsHash) {
  BestRow row;
  row.trial = measured(64, timing(100));
  CompileResult code;
  code.code_hash = "c0de";
  EXPECT_EQ(judge_code(row, code).verdict, Verdict::same_code);
  code.code_hash = "beef";
  EXPECT_EQ(judge_code(row, code).verdict, Verdict::code_changed);
  code.outcome = Outcome::compile_failed;
  code.log = "error: no";
  EXPECT_EQ(judge_code(row, code).verdict, Verdict::failed);
  EXPECT_EQ(judge_code(row, code).message, "compile_failed: error: no");
  BestRow unknown = row;
  unknown.trial.code_hash.clear();
  EXPECT_EQ(judge_code(unknown, CompileResult{}).verdict, Verdict::code_changed);
}

}  // namespace
}  // namespace tilewright::tools
