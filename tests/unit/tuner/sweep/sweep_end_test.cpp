// What ends a search.
#include <algorithm>

#include "tests/unit/tuner/sweep/sweep_fixture.hpp"

namespace tilewright::test {
namespace {

TEST_F(SweepTest, BudgetLimitsTheTrials) {
  copy.request.strategy = "random";
  copy.request.budget = 2;
  const SweepSummary summary = run();
  EXPECT_EQ(recorder.count(Outcome::measured), 2u);
  EXPECT_EQ(summary.tried, 2u + recorder.count(Outcome::duplicate));  // which cost nothing
  EXPECT_EQ(recorder.progress.planned, 2u);
  EXPECT_EQ(summary.end, SweepEnd::finished);
}

// Whichever comes last: of six candidates, three have code of their own.
TEST_F(SweepTest, ADuplicateAtTheEndFreesBudgetToo) {
  copy.request.strategy = "random";
  copy.request.budget = 3;
  for (copy.request.seed = 1; copy.request.seed <= 20; ++copy.request.seed) {
    recorder.trials.clear();
    run();
    EXPECT_EQ(recorder.count(Outcome::measured), 3u) << copy.request.seed;
  }
}

// How far the search is after each trial.
class Follower final : public SweepObserver {
 public:
  void on_start(const SearchProgress& begun) override { steps = {begun}; }
  void on_trial(const Trial& trial) override {
    if (steps.empty()) return;  // pruned before the search
    steps.push_back(steps.back());
    steps.back().add(trial);
  }

  std::vector<SearchProgress> steps;
};

class SweepProgress : public SweepTest {
 protected:
  SearchProgress follow() {
    Follower follower;
    run_sweep(copy.request, build_spaces(copy.request), compilers, evaluator, follower, stop);
    for (const SearchProgress& step : follower.steps) EXPECT_LE(step.done, step.planned);
    return follower.steps.back();
  }
};

TEST_F(SweepProgress, ABudgetDoesNotCountDuplicatesAndNothingCountsFinals) {
  copy.request.strategy = "random";
  copy.request.budget = 3;
  run();
  ASSERT_GT(recorder.count(Outcome::duplicate), 0u);
  const SearchProgress last = follow();
  EXPECT_EQ(last.done, 3u);
  EXPECT_EQ(last.planned, 3u);
}

TEST_F(SweepProgress, WhereAllAreTriedDuplicatesCount) {
  const SearchProgress last = follow();
  EXPECT_EQ(last.done, 6u);
  EXPECT_EQ(last.planned, 6u);
}

TEST_F(SweepProgress, MoreThanTheBudgetMayBeOnRecord) {
  run();
  for (const Trial& trial : recorder.trials)
    if (trial.stage == Stage::screen) copy.request.done.push_back(trial);
  copy.request.budget = 2;
  EXPECT_EQ(follow().done, 2u);
}

// Inputs and references of a large problem may take longer.
TEST_F(SweepTest, ATimeLimitLeavesTimeForOneTrial) {
  make_large(copy);
  copy.request.time_limit_s = 1e-9;
  const SweepSummary summary = run();
  EXPECT_EQ(summary.end, SweepEnd::time_limit);
  EXPECT_EQ(std::ranges::count_if(
                recorder.trials,
                [](const Trial& trial) { return trial.stage == Stage::screen && trial.timing; }),
            1);
}

TEST_F(SweepTest, ACompileThatFailsIsNotTheTrialThatATimeLimitWaitsFor) {
  make_large(copy);
  copy.request.time_limit_s = 1e-9;
  const auto compile = compilers.compile;
  compilers.compile = [&](const CompileRequest& request) {
    CompileResult result = compile(request);
    if (compilers.requests.size() <= 2) result.outcome = Outcome::compile_failed;
    return result;
  };
  run();
  EXPECT_GE(recorder.count(Outcome::compile_failed), 1u);
  EXPECT_GE(recorder.count(Outcome::measured), 1u);
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

TEST_F(SweepTest, APlateauEndsTheSearch) {
  make_large(copy);
  copy.request.plateau = {.least = 2, .patience = 1, .patience_share = 0, .gain = 0.9};
  const SweepSummary summary = run();
  EXPECT_EQ(summary.end, SweepEnd::plateau);
  EXPECT_LT(summary.tried, summary.candidates);
}

TEST_F(SweepTest, StopFinishesTheRunningTrialAndLeavesOutTheFinal) {
  evaluator.on_sample = [this] { stop = true; };
  const SweepSummary summary = run();
  EXPECT_EQ(summary.end, SweepEnd::interrupted);
  EXPECT_EQ(recorder.count(Outcome::measured), 1u);
  EXPECT_EQ(recorder.count(Outcome::measured, Stage::final), 0u);
}

TEST_F(SweepTest, AnEarlyEndFinishesTheRunningTrialAndTheFinalFollows) {
  make_large(copy);
  copy.request.end_search = &end_search;
  evaluator.on_sample = [this] { end_search = true; };
  const SweepSummary summary = run();
  EXPECT_EQ(summary.end, SweepEnd::ended_early);
  EXPECT_GT(summary.searched_s, 0);
  EXPECT_GE(recorder.count(Outcome::measured), 1u);
  EXPECT_LE(recorder.count(Outcome::measured), 4u);  // with what was on its way
  EXPECT_GE(recorder.count(Outcome::measured, Stage::final), 1u);
}

TEST_F(SweepTest, AnEarlyEndWithNothingMeasuredIsAnInterrupt) {
  make_large(copy);
  copy.request.end_search = &end_search;
  evaluator.on_load = [this] {
    end_search = true;
    return Failure{Outcome::launch_failed, "no"};
  };
  EXPECT_EQ(run().end, SweepEnd::interrupted);
  EXPECT_EQ(recorder.batches_of_finals, 0);
}

TEST_F(SweepTest, AnEarlyEndOfAResumedSweepIsItsAnswer) {
  make_large(copy);
  evaluator.on_sample = [this] { stop = true; };
  run();
  copy.request.done = recorder.trials;
  copy.request.end_search = &end_search;
  stop = false;
  end_search = true;
  evaluator.on_sample = {};
  EXPECT_EQ(run().end, SweepEnd::ended_early);
  EXPECT_EQ(recorder.count(Outcome::measured, Stage::final), 1u);
}

TEST_F(SweepTest, AStopAfterAnEarlyEndLeavesOutTheFinalAlone) {
  make_large(copy);
  copy.request.end_search = &end_search;
  evaluator.on_sample = [this] { end_search = true; };
  evaluator.on_open = [this] { stop = evaluator.opened.size() == 2; };
  EXPECT_EQ(run().end, SweepEnd::ended_early);
  EXPECT_EQ(recorder.batches_of_finals, 0);
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

}  // namespace
}  // namespace tilewright::test
