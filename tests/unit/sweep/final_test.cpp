// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/sweep/final.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sweep/fakes.hpp"

namespace tilewright::testing {
namespace {

Screened screened(const std::string& implementation, std::size_t candidate, double us,
                  Outcome outcome = Outcome::measured) {
  Screened item;
  item.candidate = candidate;
  item.trial.implementation = implementation;
  item.trial.outcome = outcome;
  if (outcome == Outcome::measured) item.trial.timing = summarise({us}, 1, 0);
  return item;
}

TEST(FinalTest, FastestOfEachImplementation) {
  const std::vector<Screened> all = {screened("op/a", 0, 30), screened("op/a", 1, 10),
                                     screened("op/a", 2, 20), screened("op/b", 3, 500)};
  const auto finalists = choose_finalists(all, 2);
  ASSERT_EQ(finalists.size(), 3u);
  EXPECT_EQ(finalists[0].candidate, 1u);
  EXPECT_EQ(finalists[1].candidate, 2u);
  EXPECT_EQ(finalists[2].candidate, 3u);
}

TEST(FinalTest, DefaultTakesPartHoweverSlow) {
  std::vector<Screened> all = {screened("op/a", 0, 30), screened("op/a", 1, 10)};
  all[0].is_default = true;
  EXPECT_EQ(choose_finalists(all, 1).size(), 2u);
}

TEST(FinalTest, OnlyMeasuredTrialsTakePart) {
  const std::vector<Screened> all = {screened("op/a", 0, 30, Outcome::wrong_answer),
                                     screened("op/a", 1, 10, Outcome::duplicate)};
  EXPECT_TRUE(choose_finalists(all, 5).empty());
}

TEST(FinalTest, StoppedFinalReportsNothing) {
  CopyDefinition copy;
  FakeCompilers compilers;
  FakeEvaluator evaluator;
  CompileAhead ahead(compilers);
  Candidates candidates;
  candidates.add(copy.implementation, build_space(copy.operation, copy.implementation,
                                                  copy.request.problem, copy.request.device));
  Judge judge(copy.request, evaluator, {copy.request.problem});
  const std::atomic<bool> stop = true;
  const auto compile = [](std::size_t) { return CompileRequest{}; };
  EXPECT_TRUE(run_final({screened("copy/plain", 0, 5)}, candidates, compile, ahead, judge, 1, stop)
                  .empty());
}

}  // namespace
}  // namespace tilewright::testing
