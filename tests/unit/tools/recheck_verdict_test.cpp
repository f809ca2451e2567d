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

BestRow stored(const Timing& timing) {
  BestRow row;
  row.implementation = "copy/plain";
  row.trial = measured(64, timing);
  row.configuration = row.trial.configuration;
  return row;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RecheckVerdict, HoldsWithinTheStoredIntervalWidenedByTwoPercent) {
  const BestRow row = stored(timing(100));
  for (const double us : {98.1, 100.0, 101.9}) {
    const Confirmation finding = judge(row, {measured(64, timing(us)), {}, {}});
    EXPECT_EQ(finding.verdict, Verdict::holds) << us;
    EXPECT_EQ(finding.message, "");
  }
  for (const double us : {97.9, 102.1})
    EXPECT_EQ(judge(row, {measured(64, timing(us)), {}, {}}).verdict, Verdict::moved) << us;
  // A wide interval now reaches the stored one.
  EXPECT_EQ(judge(row, {measured(64, timing(110, 3)), {}, {}}).verdict, Verdict::holds);
}

TEST(RecheckVerdict, MovedSaysByHowMuchAndWhetherTheCodeIsAnother) {
  const BestRow row = stored(timing(100));
  Trial winner = measured(64, timing(150));
  EXPECT_EQ(judge(row, {winner, {}, {}}).message, "1.500 times as long as stored");
  winner.code_hash = "beef";
  EXPECT_TRUE(contains(judge(row, {winner, {}, {}}).message, "its code changed"));
}

TEST(RecheckVerdict, ARivalFasterInEveryRoundIsNamed) {
  const BestRow row = stored(timing(100, 1));
  // Both drift in step: the intervals overlap, the paired ratio does not.
  const Confirmation finding =
      judge(row, {measured(64, timing(100, 1)), measured(32, timing(97, 1)), {}});
  EXPECT_EQ(finding.verdict, Verdict::moved);
  EXPECT_TRUE(contains(finding.message, "the runner-up (BLOCK=32) is faster now"))
      << finding.message;
  EXPECT_TRUE(contains(finding.message, "1.03")) << finding.message;
}

// Of a robust sweep.
Trial twice(std::int64_t block, double cold_us, double warm_us) {
  Trial trial = measured(block, timing(cold_us));
  trial.warm_timing = timing(warm_us);
  return trial;
}

TEST(RecheckVerdict, ARivalFasterUnderOnePolicyAloneWasSoBefore) {
  BestRow row = stored(timing(105));
  row.trial.warm_timing = timing(105);
  // Beside a third one with 100 and 100 the winner has the least worst ratio.
  EXPECT_EQ(judge(row, {twice(64, 105, 105), twice(32, 100, 108), {}}).verdict, Verdict::holds);
  EXPECT_EQ(judge(row, {twice(64, 105, 105), twice(32, 100, 100), {}}).verdict, Verdict::moved);
}

TEST(RecheckVerdict, AWarmTimeMovesToo) {
  BestRow row = stored(timing(100));
  row.trial.warm_timing = timing(80);
  EXPECT_EQ(judge(row, {twice(64, 100, 80), {}, {}}).verdict, Verdict::holds);
  EXPECT_EQ(judge(row, {twice(64, 100, 160), {}, {}}).verdict, Verdict::moved);
}

TEST(RecheckVerdict, ATieOrNoiseIsNotFaster) {
  const BestRow row = stored(timing(100));
  const Trial winner = measured(64, timing(100));
  EXPECT_EQ(judge(row, {winner, measured(32, timing(99.9)), {}}).verdict, Verdict::holds);
  EXPECT_EQ(judge(row, {winner, {}, measured(16, timing(98, 2))}).verdict, Verdict::holds);
  EXPECT_EQ(judge(row, {winner, measured(32, timing(120)), {}}).message, "");
}

TEST(RecheckVerdict, ARunnerUpThatIsTheDefaultIsNamedOnce) {
  const BestRow row = stored(timing(100));
  const Trial rival = measured(32, timing(90));
  const std::string message = judge(row, {measured(64, timing(100)), rival, rival}).message;
  EXPECT_TRUE(contains(message, "the default (BLOCK=32)")) << message;
  EXPECT_FALSE(contains(message, "runner-up")) << message;
}

TEST(RecheckVerdict, AWinnerThatFailsSaysHow) {
  const Confirmation finding =
      judge(stored(timing(100)), {wrong(64), measured(32, timing(100)), {}});
  EXPECT_EQ(finding.verdict, Verdict::failed);
  EXPECT_EQ(finding.message, "wrong_answer: out[3] is 1, not 2");
}

TEST(RecheckVerdict, ARivalThatFailsIsOnlyNoted) {
  const Confirmation finding =
      judge(stored(timing(100)), {measured(64, timing(100)), wrong(32), {}});
  EXPECT_EQ(finding.verdict, Verdict::holds);
  EXPECT_TRUE(contains(finding.message, "the runner-up failed (wrong_answer")) << finding.message;
}

TEST(RecheckVerdict, CodeAloneIsComparedByItsHash) {
  const BestRow row = stored(timing(100));
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
