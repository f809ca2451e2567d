// The final of a sweep.
#include <set>

#include "tests/unit/tuner/sweep/sweep_fixture.hpp"

namespace tilewright::test {
namespace {

TEST_F(SweepTest, ARobustSweepScreensColdAndMeasuresItsFinalistsBothWays) {
  copy.request.policy.cache = CachePolicy::robust;
  evaluator.warm_us = [](std::int64_t block) { return static_cast<double>(block); };
  run();
  EXPECT_EQ(evaluator.opened.front().cache, CachePolicy::cold);
  ASSERT_EQ(recorder.count(Outcome::measured, Stage::final), 3u);
  for (const Trial& trial : recorder.trials) {
    if (!trial.timing) continue;
    const auto block =
        static_cast<double>(std::get<std::int64_t>(trial.configuration.values.at("BLOCK")));
    EXPECT_EQ(trial.timing->median_us, 1000 / block);
    EXPECT_EQ(trial.timing->cache, CachePolicy::cold);
    EXPECT_TRUE(trial.warm_timing || trial.stage == Stage::screen);
    if (!trial.warm_timing) continue;
    EXPECT_EQ(trial.warm_timing->median_us, block);
    EXPECT_EQ(trial.warm_timing->cache, CachePolicy::warm);
    EXPECT_EQ(trial.warm_timing->rounds, trial.timing->rounds);
  }
}

TEST_F(SweepTest, OfAPurePolicyThereIsOneTime) {
  copy.request.policy.cache = CachePolicy::warm;
  run();
  EXPECT_EQ(evaluator.opened.front().cache, CachePolicy::warm);
  for (const Trial& trial : recorder.trials) EXPECT_FALSE(trial.warm_timing);
}

TEST_F(SweepTest, DefaultIsTriedFirstAndGoesToTheFinal) {
  copy.implementation.parameters[0].values = {32, 64, 128, 256, 512, 1024};
  copy.implementation.parameters[0].default_value = 32;  // the slowest
  run();
  EXPECT_EQ(std::get<std::int64_t>(recorder.trials.front().configuration.values.at("BLOCK")), 32);
  EXPECT_EQ(recorder.count(Outcome::measured, Stage::final), 4u);  // the least and the default
}

TEST_F(SweepTest, FinalistThatNoLongerCompilesIsLeftOut) {
  const auto good = compilers.compile;
  int compiles = 0;
  compilers.compile = [&, good](const CompileRequest& request) {
    CompileResult result = good(request);
    if (has_option(request, "-DBLOCK=128") && ++compiles > 2) {
      result.outcome = Outcome::compile_timed_out;
    }
    return result;
  };
  run();
  EXPECT_EQ(recorder.count(Outcome::measured), 3u);
  EXPECT_EQ(recorder.count(Outcome::measured, Stage::final), 2u);
}

TEST_F(SweepTest, FinalIsOnOtherInputsAndReportedAtOnce) {
  const SweepSummary summary = run();
  ASSERT_EQ(evaluator.opened.size(), 2u);
  EXPECT_EQ(evaluator.opened[0].seed, copy.request.seed);
  EXPECT_NE(evaluator.opened[1].seed, copy.request.seed);
  EXPECT_EQ(recorder.batches_of_finals, 1);
  EXPECT_EQ(summary.final.finalists, 3u);
  EXPECT_EQ(summary.final.rounds, copy.request.final.contest.minimum_rounds);
  EXPECT_EQ(summary.final.end, "settled");
}

// The clock is that of a card whose power limit slows it down under load.
TEST_F(SweepTest, TheFinalIsShorterWhereTheClockIsNotHeldDown) {
  copy.request.policy.cache = CachePolicy::cold;
  copy.request.final.usual_limit_s = 0;
  SweepSummary summary = run();
  EXPECT_EQ(summary.final.rounds, 1);
  EXPECT_EQ(summary.final.end, "time");
  double slowness = 1;
  evaluator.on_sample = [&] { slowness = evaluator.lead_ins_us.back() > 0 ? 1.12 : 1; };
  evaluator.sm_mhz = [&] { return 1755 / slowness; };
  summary = run();
  EXPECT_EQ(summary.final.rounds, copy.request.final.contest.minimum_rounds);
  copy.request.final.contest.time_limit_s = 0;
  EXPECT_EQ(run().final.rounds, 1);
}

TEST_F(SweepTest, AWrongAnswerOnTheSecondInputsIsTheFinalists) {
  evaluator.on_verify = [this](std::int64_t block) -> Attempt<Verification> {
    if (block == 128 && evaluator.opened.size() == 2) return Failure{Outcome::wrong_answer, "no"};
    return Verification{};
  };
  run();
  EXPECT_EQ(recorder.count(Outcome::measured), 3u);
  EXPECT_EQ(recorder.count(Outcome::measured, Stage::final), 2u);
  EXPECT_EQ(recorder.count(Outcome::wrong_answer, Stage::final), 1u);
}

TEST_F(SweepTest, TheWinnersNameDoesNotHangOnWhichTwinCompiledFirst) {
  const auto finalists = [this] {
    run();
    std::set<Configuration> names;
    for (const Trial& trial : recorder.trials)
      if (trial.stage == Stage::final) names.insert(trial.configuration);
    recorder.trials.clear();
    return names;
  };
  const auto first = finalists();
  compilers.last_first = true;
  EXPECT_EQ(finalists(), first);
}

TEST_F(SweepTest, ASweepThatHasItsFinalsOnlyEnds) {
  run();
  copy.request.done = recorder.trials;
  recorder.trials.clear();
  run();
  EXPECT_TRUE(recorder.trials.empty());
  EXPECT_EQ(recorder.batches_of_finals, 1);
}

TEST_F(SweepTest, AStopDoesNotWaitForCompilersOfTheFinal) {
  compilers.is_late = [this] { return evaluator.sessions == 2 && (stop = true); };
  EXPECT_EQ(run().end, SweepEnd::interrupted);
  EXPECT_EQ(evaluator.opened.size(), 2u);
  EXPECT_EQ(recorder.count(Outcome::measured, Stage::final), 0u);
}

class StoppedFinal : public SweepTest {
 protected:
  // Stops in this round of three finalists.
  SweepSummary run_to(int round) {
    copy.request.policy.cache = CachePolicy::warm;  // one sample each
    evaluator.on_sample = [this, round, samples = 0]() mutable {
      if (evaluator.opened.size() < 2) return;
      end_search = true;
      const int settling = 1;
      if (++samples == settling + 3 * (round - 1) + 1) stop = true;
    };
    return run();
  }
};

TEST_F(StoppedFinal, IsNotStored) {
  EXPECT_EQ(run_to(2).end, SweepEnd::interrupted);
  EXPECT_EQ(recorder.batches_of_finals, 0);
}

TEST_F(StoppedFinal, AfterAnEarlyEndItsRoundsCount) {
  copy.request.end_search = &end_search;
  const SweepSummary summary = run_to(2);
  EXPECT_EQ(summary.end, SweepEnd::finished);  // all are tried
  EXPECT_EQ(summary.final.rounds, 1);
  EXPECT_EQ(summary.final.end, "time");
  ASSERT_EQ(recorder.count(Outcome::measured, Stage::final), 3u);
  for (const Trial& trial : recorder.trials)
    if (trial.stage == Stage::final) {
      EXPECT_EQ(trial.timing->rounds, 1);
    }
}

TEST_F(StoppedFinal, InTheFirstRoundThereIsNone) {
  copy.request.end_search = &end_search;
  EXPECT_EQ(run_to(1).final.finalists, 0u);
  EXPECT_EQ(recorder.batches_of_finals, 0);
}

}  // namespace
}  // namespace tilewright::test
