#include "tuner/sweep/run/sweep.hpp"

#include <map>
#include <set>

#include "tests/unit/tuner/sweep/sweep_fixture.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

TEST_F(SweepTest, EveryConfigurationBecomesOneTrial) {
  const SweepSummary summary = run();
  EXPECT_EQ(summary.end, SweepEnd::finished);
  EXPECT_EQ(summary.candidates, 6u);  // 4 × 2, less the two of 2048 threads
  EXPECT_EQ(summary.tried, 6u);
  EXPECT_EQ(recorder.count(Outcome::pruned), 2u);
  EXPECT_EQ(recorder.count(Outcome::measured), 3u);
  EXPECT_EQ(recorder.count(Outcome::duplicate), 3u);
  EXPECT_EQ(recorder.count(Outcome::measured, Stage::final), 3u);
  EXPECT_EQ(recorder.progress.planned, 6u);
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

TEST_F(SweepTest, EveryStrategyCoversTheSpace) {
  for (const char* strategy : {"exhaustive", "random", "model"}) {
    copy.request.strategy = strategy;
    EXPECT_EQ(run().tried, 6u) << strategy;
  }
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
  EXPECT_EQ(recorder.progress.done, 3u);  // the other two were pruned
  EXPECT_EQ(summary.tried, 3u);
  std::map<Outcome, std::size_t> expected, got;
  for (const Trial& trial : all) ++expected[trial.outcome];
  for (const Trial& trial : together) ++got[trial.outcome];
  EXPECT_EQ(got, expected);
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
