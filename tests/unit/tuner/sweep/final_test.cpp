#include "tuner/sweep/run/final.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/tuner/sweep/fakes.hpp"

namespace tilewright::test {
namespace {

Screened screened(const std::string& implementation, std::size_t candidate, double us,
                  Outcome outcome = Outcome::measured) {
  Screened item;
  item.candidate = candidate;
  item.trial.implementation = implementation;
  item.trial.outcome = outcome;
  if (outcome == Outcome::measured) item.trial.timing = summarise({us}, 1, 0);
  item.normal_us = us;
  return item;
}

FinalRules at_most(std::size_t most, std::size_t least = 1) {
  FinalRules rules;
  rules.most = rules.most_under_load = most;
  rules.least = least;
  rules.admitted_over = 100;
  return rules;
}

TEST(FinalTest, FastestOfEachImplementation) {
  const std::vector<Screened> all = {screened("op/a", 0, 30), screened("op/a", 1, 10),
                                     screened("op/a", 2, 20), screened("op/b", 3, 500)};
  const auto finalists = choose_finalists(all, at_most(2));
  ASSERT_EQ(finalists.size(), 3u);
  EXPECT_EQ(finalists[0].candidate, 1u);
  EXPECT_EQ(finalists[1].candidate, 2u);
  EXPECT_EQ(finalists[2].candidate, 3u);
}

TEST(FinalTest, FarOnesAreAdmittedOnlyToMakeUpTheLeast) {
  FinalRules rules = at_most(5, 2);
  rules.admitted_over = 1.05;
  const std::vector<Screened> close = {screened("op/a", 0, 100), screened("op/a", 1, 104),
                                       screened("op/a", 2, 103), screened("op/a", 3, 106)};
  EXPECT_EQ(choose_finalists(close, rules).size(), 3u);
  const std::vector<Screened> far = {screened("op/a", 0, 100), screened("op/a", 1, 200),
                                     screened("op/a", 2, 300)};
  EXPECT_EQ(choose_finalists(far, rules).size(), 2u);
}

TEST(FinalTest, UnderLoadTheBestOfEachSettingTakesPart) {
  const auto with = [](std::size_t candidate, double us, const std::string& schedule,
                       std::int64_t tile) {
    Screened item = screened("op/a", candidate, us);
    item.trial.configuration.values = {{"SCHEDULE", schedule}, {"TILE", tile}};
    return item;
  };
  const std::vector<Screened> all = {with(0, 100, "together", 256), with(1, 101, "together", 256),
                                     with(2, 102, "in turn", 256),  with(3, 103, "in turn", 128),
                                     with(4, 104, "in turn", 128),  with(5, 106, "alone", 128)};
  FinalRules rules = at_most(1);
  rules.admitted_over = 1.05;
  EXPECT_EQ(choose_finalists(all, rules).size(), 1u);
  const auto candidates = [&] {
    std::vector<std::size_t> numbers;
    for (const Screened& item : choose_finalists(all, rules, Load::held_down))
      numbers.push_back(item.candidate);
    return numbers;
  };
  EXPECT_EQ(candidates(), (std::vector<std::size_t>{0, 2, 3}));
  rules.most_for_settings = 1;
  EXPECT_EQ(candidates(), (std::vector<std::size_t>{0, 2}));
}

// Whose best takes over twice as long as the fastest of all.
TEST(FinalTest, OfAHopelessImplementationOneTakesPartAndItsDefault) {
  std::vector<Screened> all = {screened("op/a", 0, 10), screened("op/a", 1, 11),
                               screened("op/b", 2, 20), screened("op/b", 3, 21),
                               screened("op/c", 4, 21), screened("op/c", 5, 22),
                               screened("op/c", 6, 23), screened("op/c", 7, 90)};
  all[7].is_default = true;
  const auto candidates = [&](FinalRules rules, Load load) {
    std::set<std::size_t> numbers;
    for (const Screened& item : choose_finalists(all, rules, load)) numbers.insert(item.candidate);
    return numbers;
  };
  const std::set<std::size_t> expected = {0, 1, 2, 3, 4, 7};
  EXPECT_EQ(candidates(at_most(5, 3), Load::usual), expected);
  for (Screened& item : all)  // of which each has a setting of its own
    item.trial.configuration.values["TILE"] = static_cast<std::int64_t>(item.candidate);
  EXPECT_EQ(candidates(at_most(5, 3), Load::held_down), expected);
  EXPECT_EQ(candidates(at_most(0, 3), Load::usual), std::set<std::size_t>{7});
}

TEST(FinalTest, OfTwoPoliciesTheMeanSaysWhoIsHopeless) {
  std::vector<Screened> all = {screened("op/a", 0, 10), screened("op/b", 1, 21),
                               screened("op/b", 2, 21)};
  for (Screened& item : all)
    item.trial.warm_timing = summarise({item.candidate == 0 ? 10.0 : 19.0}, 1, 0);
  EXPECT_EQ(choose_finalists(all, at_most(5)).size(), 3U);
  for (Screened& item : all)
    if (item.candidate > 0) item.trial.warm_timing = summarise({20.0}, 1, 0);
  EXPECT_EQ(choose_finalists(all, at_most(5)).size(), 2U);
}

TEST(FinalTest, TimesCountAsIfTheMachineHadNotDrifted) {
  std::vector<Screened> all = {screened("op/a", 0, 10), screened("op/a", 1, 11)};
  all[1].normal_us = 9;  // taken while the machine was slow
  const auto finalists = choose_finalists(all, at_most(1));
  ASSERT_EQ(finalists.size(), 1u);
  EXPECT_EQ(finalists[0].candidate, 1u);
}

TEST(FinalTest, TheWorseOfTwoPoliciesDecides) {
  const auto both = [](std::size_t candidate, double cold_us, double warm_us) {
    Screened item = screened("op/a", candidate, cold_us);
    item.trial.warm_timing = summarise({warm_us}, 1, 0);
    return item;
  };
  const auto finalists = choose_finalists(
      {both(0, 10, 9), both(1, 10.8, 5), both(2, 11.2, 5.2), screened("op/a", 3, 12)}, at_most(2));
  ASSERT_EQ(finalists.size(), 2u);
  EXPECT_EQ(finalists[0].candidate, 1u) << "at most 8 % behind, where the fastest cold is 80 %";
  EXPECT_EQ(finalists[1].candidate, 2u);
}

TEST(FinalTest, WarmTimesAreCorrectedLikeCold) {
  Screened slow = screened("op/a", 0, 20), other = screened("op/a", 1, 10);
  slow.trial.warm_timing = summarise({10.0}, 1, 0);
  slow.normal_us = 10;  // of 20: the machine ran at half its speed
  other.trial.warm_timing = summarise({6.0}, 1, 0);
  EXPECT_EQ(choose_finalists({slow, other}, at_most(1)).front().candidate, 0u);
}

TEST(FinalTest, DefaultTakesPartHoweverSlow) {
  std::vector<Screened> all = {screened("op/a", 0, 30), screened("op/a", 1, 10)};
  all[0].is_default = true;
  EXPECT_EQ(choose_finalists(all, at_most(1)).size(), 2u);
}

TEST(FinalTest, OnlyMeasuredTrialsTakePart) {
  const std::vector<Screened> all = {screened("op/a", 0, 30, Outcome::wrong_answer),
                                     screened("op/a", 1, 10, Outcome::duplicate)};
  EXPECT_TRUE(choose_finalists(all, at_most(5)).empty());
}

TEST(FinalTest, StoppedFinalReportsNothing) {
  CopyDefinition copy;
  FakeCompilers compilers;
  FakeEvaluator evaluator;
  CompileAhead ahead(compilers);
  Candidates candidates;
  candidates.add(copy.implementation, build_space(copy.operation, copy.implementation,
                                                  copy.request.problem, copy.request.device)
                                          .legal);
  const Inspector inspector(copy.request, {copy.request.problem});
  Judge judge(copy.request, evaluator);
  const std::atomic<bool> stop = true;
  const auto compile = [](std::size_t) { return CompileRequest{}; };
  const FinalContext context{candidates, compile, ahead, inspector, judge, stop};
  EXPECT_TRUE(run_final({screened("copy/plain", 0, 5)}, {}, context).trials.empty());
}

}  // namespace
}  // namespace tilewright::test
