#include "tuner/sweep/sweep.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/sweep/fakes.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

class SweepTest : public ::testing::Test {
 protected:
  SweepSummary run() {
    return run_sweep(copy.request, build_spaces(copy.request), compilers, evaluator, recorder,
                     stop);
  }

  CopyDefinition copy;
  FakeCompilers compilers;
  FakeEvaluator evaluator;
  Recorder recorder;
  std::atomic<bool> stop = false;
};

TEST_F(SweepTest, EveryConfigurationBecomesOneTrial) {
  const SweepSummary summary = run();
  EXPECT_EQ(summary.end, SweepEnd::finished);
  EXPECT_EQ(summary.candidates, 6u);  // 4 × 2, less the two of 2048 threads
  EXPECT_EQ(summary.tried, 6u);
  EXPECT_EQ(recorder.count(Outcome::pruned), 2u);
  EXPECT_EQ(recorder.count(Outcome::measured), 3u);
  EXPECT_EQ(recorder.count(Outcome::duplicate), 3u);
  EXPECT_EQ(recorder.count(Outcome::measured, Stage::final), 3u);
  EXPECT_EQ(recorder.planned, 6u);
}

// Also of a sweep that goes on; only what its earlier trials do not say, nobody knows.
TEST_F(SweepTest, TrialsSayWhenTheyEnded) {
  run();
  double last = 0;
  for (const Trial& trial : recorder.trials) {
    ASSERT_TRUE(trial.ended_s);
    if (trial.outcome != Outcome::pruned) {
      EXPECT_GE(*trial.ended_s, last);
      last = *trial.ended_s;
    }
  }
  EXPECT_GT(last, 0);
  Trial done = recorder.trials.front();
  for (const std::optional<double> ended : {std::optional(1000.0), std::optional<double>()}) {
    done.ended_s = ended;
    copy.request.done = {done};
    recorder.trials.clear();
    run();
    ASSERT_FALSE(recorder.trials.empty());
    for (const Trial& trial : recorder.trials) {
      EXPECT_EQ(trial.ended_s.has_value(), ended.has_value());
      EXPECT_GE(trial.ended_s.value_or(1000), 1000);
    }
  }
}

TEST_F(SweepTest, PrunedRowNamesTheRuleAndTheNumbers) {
  run();
  const auto pruned =
      std::find_if(recorder.trials.begin(), recorder.trials.end(),
                   [](const Trial& trial) { return trial.outcome == Outcome::pruned; });
  ASSERT_NE(pruned, recorder.trials.end());
  EXPECT_EQ(pruned->rule, "threads_per_block");
  EXPECT_NE(pruned->message.find("2048"), std::string::npos);
  EXPECT_NE(pruned->message.find("1024"), std::string::npos);
}

// A call takes 1000 / BLOCK µs, so the largest block is the fastest.
TEST_F(SweepTest, MayMinimiseAMetricInPlaceOfTheTime) {
  copy.request.final.most = copy.request.final.least = 1;
  Metric metric{"waste", "", "", Expression::parse_real("time * BLOCK * BLOCK * BLOCK"),
                Metric::Better::lower};
  copy.operation.metrics = {metric};
  copy.request.objective.emplace(copy.operation.metrics[0], copy.operation, copy.request.problem,
                                 copy.request.device);
  run();
  EXPECT_EQ(recorder.finalists(), (std::set<std::int64_t>{32, 64}));  // the best and the default
  for (const Trial& trial : recorder.trials)
    if (trial.timing) {
      EXPECT_EQ(trial.timing->median_us, 1000.0 / static_cast<double>(std::get<std::int64_t>(
                                                      trial.configuration.values.at("BLOCK"))));
    }
}

TEST_F(SweepTest, AHigherMetricMayBeBetterAndOneWithoutAValueNeverWins) {
  copy.request.final.most = copy.request.final.least = 1;
  copy.implementation.parameters[0].default_value = 128;
  copy.operation.metrics = {{"rate", "", "", Expression::parse_real("1 / time / (BLOCK - 64)"),
                             Metric::Better::higher}};  // none for 64, below 0 for 32
  copy.request.objective.emplace(copy.operation.metrics[0], copy.operation, copy.request.problem,
                                 copy.request.device);
  run();
  EXPECT_EQ(recorder.finalists(), (std::set<std::int64_t>{128}));
  EXPECT_EQ(recorder.count(Outcome::measured), 3u);  // each keeps its time
}

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

TEST_F(SweepTest, DefaultIsMeasuredThoughItsTwinCompilesSooner) {
  copy.implementation.parameters[1].default_value = 1;
  compilers.last_first = true;
  run();
  for (const Trial& trial : recorder.trials) {
    const auto is_default = trial.configuration == default_configuration(copy.implementation);
    if (is_default) {
      EXPECT_EQ(trial.outcome, Outcome::measured);
    }
  }
  EXPECT_EQ(recorder.count(Outcome::duplicate), 3u);
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

TEST_F(SweepTest, ProbeThatDoesNotCompileIsAMachineError) {
  CompileRequest probe;
  probe.entries = {"probe"};
  copy.request.backend.probe = probe;
  const auto good = compilers.compile;
  compilers.compile = [good](const CompileRequest& request) {
    CompileResult result = good(request);
    if (request.entries.front() == "probe") result.outcome = Outcome::compile_failed;
    return result;
  };
  EXPECT_THROW(run(), MachineError);
}

TEST_F(SweepTest, BudgetLimitsTheTrials) {
  copy.request.strategy = "random";
  copy.request.budget = 2;
  const SweepSummary summary = run();
  EXPECT_EQ(recorder.count(Outcome::measured), 2u);
  EXPECT_EQ(summary.tried, 2u + recorder.count(Outcome::duplicate));  // which cost nothing
  EXPECT_EQ(recorder.planned, 2u);
  EXPECT_EQ(summary.end, SweepEnd::finished);
}

TEST_F(SweepTest, EveryStrategyCoversTheSpace) {
  for (const char* strategy : {"exhaustive", "random", "local", "genetic", "model"}) {
    copy.request.strategy = strategy;
    EXPECT_EQ(run().tried, 6u) << strategy;
  }
}

// More than are on their way at a time.
void make_large(CopyDefinition& copy) {
  copy.implementation.parameters[0].values.clear();
  for (std::int64_t block = 32; block <= 1024; block += 32)
    copy.implementation.parameters[0].values.push_back(block);
}

TEST_F(SweepTest, ATargetThatIsMetEndsTheSearchAndTheFinalFollows) {
  make_large(copy);
  copy.request.target_us = 1e9;
  const SweepSummary summary = run();
  EXPECT_EQ(summary.end, SweepEnd::target);
  EXPECT_LT(summary.tried, summary.candidates);
  EXPECT_EQ(summary.seen, summary.tried);
  EXPECT_GE(recorder.count(Outcome::measured, Stage::final), 1u);
}

TEST_F(SweepTest, WhatDidWellElsewhereIsTriedAfterTheDefaultAndMeasuredAnew) {
  make_large(copy);
  copy.request.strategy = "model";
  copy.request.budget = 3;
  const auto block = [](std::int64_t size) {
    return Configuration{{{"BLOCK", size}, {"UNUSED", 0}}};
  };
  copy.request.priors = {{"copy/plain", block(7), 1.0},  // not in this space
                         {"copy/plain", block(512), 1.1},
                         {"copy/other", block(96), 1.0},
                         {"copy/plain", block(96), 1.0}};
  run();
  std::vector<std::int64_t> tried;
  for (const Trial& trial : recorder.trials)
    if (trial.stage == Stage::screen && trial.outcome == Outcome::measured)
      tried.push_back(std::get<std::int64_t>(trial.configuration.values.at("BLOCK")));
  EXPECT_EQ(tried, (std::vector<std::int64_t>{64, 96, 512}));
}

TEST_F(SweepTest, APlateauEndsTheSearch) {
  make_large(copy);
  copy.request.plateau = {.least = 2, .patience = 1, .patience_share = 0, .gain = 0.9};
  const SweepSummary summary = run();
  EXPECT_EQ(summary.end, SweepEnd::plateau);
  EXPECT_LT(summary.tried, summary.candidates);
}

TEST_F(SweepTest, FailuresAreTrialsAndTheSweepGoesOn) {
  evaluator.on_verify = [](std::int64_t block) -> Attempt<Verification> {
    if (block == 64) return Failure{Outcome::wrong_answer, "element 3 is 1, not 2"};
    return Verification{};
  };
  const SweepSummary summary = run();
  EXPECT_EQ(summary.end, SweepEnd::finished);
  EXPECT_EQ(recorder.count(Outcome::wrong_answer), 1u);
  EXPECT_EQ(recorder.count(Outcome::measured), 2u);
  EXPECT_EQ(recorder.count(Outcome::wrong_answer, Stage::final), 0u);
}

TEST_F(SweepTest, FailedCompileKeepsTheLog) {
  const auto good = compilers.compile;
  compilers.compile = [good](const CompileRequest& request) {
    CompileResult result = good(request);
    if (!has_option(request, "-DBLOCK=32")) return result;
    result = {};
    result.outcome = Outcome::compile_failed;
    result.log = "copy.cu(1): error";
    return result;
  };
  run();
  ASSERT_EQ(recorder.count(Outcome::compile_failed), 2u);
  for (const Trial& trial : recorder.trials) {
    if (trial.outcome == Outcome::compile_failed) {
      EXPECT_EQ(trial.message, "copy.cu(1): error");
    }
  }
}

TEST_F(SweepTest, ResumedSweepDoesOnlyWhatIsMissing) {
  run();
  const std::vector<Trial> all = recorder.trials;
  copy.request.done.assign(all.begin(), all.begin() + 5);
  recorder.trials.clear();
  const SweepSummary summary = run();
  std::vector<Trial> together = copy.request.done;
  together.insert(together.end(), recorder.trials.begin(), recorder.trials.end());
  EXPECT_EQ(together.size(), all.size());
  EXPECT_EQ(recorder.already_done, 3u);  // the other two were pruned
  EXPECT_EQ(summary.tried, 3u);
  std::map<Outcome, std::size_t> expected, got;
  for (const Trial& trial : all) ++expected[trial.outcome];
  for (const Trial& trial : together) ++got[trial.outcome];
  EXPECT_EQ(got, expected);
}

TEST_F(SweepTest, StopFinishesTheRunningTrialAndLeavesOutTheFinal) {
  evaluator.on_sample = [this] { stop = true; };
  const SweepSummary summary = run();
  EXPECT_EQ(summary.end, SweepEnd::interrupted);
  EXPECT_EQ(recorder.count(Outcome::measured), 1u);
  EXPECT_EQ(recorder.count(Outcome::measured, Stage::final), 0u);
}

TEST_F(SweepTest, AStopWhileInputsAreMadeEndsBeforeAnyTrial) {
  evaluator.on_open = [this] { stop = true; };
  EXPECT_EQ(run().end, SweepEnd::interrupted);
  EXPECT_EQ(evaluator.loads, 0);
}

TEST_F(SweepTest, AStopDoesNotWaitForCompilers) {
  compilers.is_late = [this] { return stop = true; };
  EXPECT_EQ(run().end, SweepEnd::interrupted);
  EXPECT_EQ(evaluator.loads, 0);
}

TEST_F(SweepTest, AStopDoesNotWaitForCompilersOfTheFinal) {
  compilers.is_late = [this] { return evaluator.opened.size() == 2 && (stop = true); };
  EXPECT_EQ(run().end, SweepEnd::interrupted);
  EXPECT_EQ(evaluator.opened.size(), 2u);
  EXPECT_EQ(recorder.count(Outcome::measured, Stage::final), 0u);
}

TEST_F(SweepTest, ArchitectureThatTheDeviceLacksIsUnsupported) {
  copy.implementation.requires_architecture = "sm_100a";
  run();
  EXPECT_EQ(recorder.count(Outcome::unsupported), 6u);
  EXPECT_EQ(evaluator.loads, 0);
}

TEST_F(SweepTest, SuffixedArchitectureIsCompiledFor) {
  copy.implementation.requires_architecture = "sm_90a";
  run();
  ASSERT_FALSE(compilers.requests.empty());
  EXPECT_EQ(compilers.requests.front().architecture, "sm_90a");
}

TEST_F(SweepTest, NothingLegalOpensNoDevice) {
  copy.request.where = Expression::parse("BLOCK == 2048");
  const SweepSummary summary = run();
  EXPECT_EQ(summary.candidates, 0u);
  EXPECT_TRUE(evaluator.opened.empty());
  EXPECT_EQ(recorder.count(Outcome::pruned), 2u);
}

TEST_F(SweepTest, OccupancyFloorPrunesAfterTheCompile) {
  copy.request.backend.add_occupancy = [](Resources& resources, const Device&) {
    resources.blocks_per_sm = 1;
    resources.occupancy = resources.threads / 2048.0;
  };
  copy.request.floor.occupancy = 0.03;
  run();
  EXPECT_EQ(recorder.count(Outcome::measured), 2u);  // 64 and 128 threads
  const auto is_floor = [](const Trial& trial) { return trial.rule == "occupancy"; };
  EXPECT_EQ(std::count_if(recorder.trials.begin(), recorder.trials.end(), is_floor), 2);
}

TEST_F(SweepTest, ReferenceKernelThatDoesNotCompileIsBadInput) {
  copy.operation.reference.builtin.clear();
  copy.operation.reference.source = copy.implementation.source;
  copy.operation.reference.launches = copy.implementation.launches;
  copy.operation.reference.launches[0].entry = "reference";
  const auto good = compilers.compile;
  compilers.compile = [good](const CompileRequest& request) {
    if (request.entries.front() != "reference") return good(request);
    CompileResult result;
    result.outcome = Outcome::compile_failed;
    result.log = "no";
    return result;
  };
  EXPECT_THROW(run(), InputError);
}

}  // namespace
}  // namespace tilewright::test
