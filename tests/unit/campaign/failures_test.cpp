#include "campaign/failures.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

Trial trial(std::int64_t block, std::int64_t vector, Outcome outcome,
            const std::string& implementation = "blur/tile") {
  Trial trial;
  trial.implementation = implementation;
  trial.configuration.values = {{"BLOCK", block}, {"VECTOR", vector}};
  trial.outcome = outcome;
  if (outcome == Outcome::measured) trial.timing.emplace().median_us = 1;
  return trial;
}

// All of a grid, of which `is_wrong` says what gives wrong answers.
template <class IsWrong>
std::vector<Trial> grid(const IsWrong& is_wrong) {
  std::vector<Trial> trials;
  for (const std::int64_t block : {32, 64, 128, 256})
    for (const std::int64_t vector : {1, 2, 4, 8})
      trials.push_back(trial(block, vector,
                             is_wrong(block, vector) ? Outcome::wrong_answer : Outcome::measured));
  return trials;
}

CommonValues values(const std::string& name, std::vector<Value> list) {
  return {{name, std::move(list)}};
}

TEST(FailuresTest, FindsTheOneValueThatAllHave) {
  const auto failures = failures_of(grid([](auto, auto vector) { return vector == 4; }));
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].count, 4U);
  EXPECT_EQ(failures[0].example, 2U);
  EXPECT_EQ(failures[0].implementation, "blur/tile");
  EXPECT_EQ(failures[0].cause, values("VECTOR", {std::int64_t{4}}));
}

TEST(FailuresTest, FindsSeveralValuesOfOneParameter) {
  const auto failures = failures_of(grid([](auto, auto vector) { return vector >= 4; }));
  EXPECT_EQ(failures.at(0).cause, values("VECTOR", {std::int64_t{4}, std::int64_t{8}}));
}

TEST(FailuresTest, FindsTwoParametersTogether) {
  const auto failures =
      failures_of(grid([](auto block, auto vector) { return block >= 128 && vector >= 4; }));
  const CommonValues both = {{"BLOCK", {std::int64_t{128}, std::int64_t{256}}},
                             {"VECTOR", {std::int64_t{4}, std::int64_t{8}}}};
  EXPECT_EQ(failures.at(0).cause, both);
}

TEST(FailuresTest, ClaimsNothingWithoutAPattern) {
  EXPECT_TRUE(failures_of(grid([](auto block, auto vector) { return block * vector == 256; }))
                  .at(0)
                  .cause.empty());
  std::vector<Trial> all_wrong = grid([](auto, auto) { return true; });
  EXPECT_TRUE(failures_of(all_wrong).at(0).cause.empty()) << "nothing to tell them from";
  all_wrong.resize(2);
  EXPECT_TRUE(failures_of(all_wrong).at(0).cause.empty()) << "too few";
}

TEST(FailuresTest, CountsAConfigurationOnceByItsLastTrial) {
  std::vector<Trial> trials = {trial(32, 1, Outcome::measured), trial(64, 1, Outcome::measured),
                               trial(32, 1, Outcome::wrong_answer)};
  const auto failures = failures_of(trials);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].example, 2U);
  EXPECT_EQ(correct_count(trials), 1U);
}

TEST(FailuresTest, WrongAnswersComeFirstAndLimitsAreNoFailures) {
  const auto failures = failures_of(
      {trial(1, 1, Outcome::compile_failed), trial(2, 1, Outcome::pruned),
       trial(3, 1, Outcome::wrong_answer, "blur/row"), trial(4, 1, Outcome::wrong_answer)});
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].outcome, Outcome::wrong_answer);
  EXPECT_EQ(failures[0].implementation, "") << "of two implementations";
  EXPECT_EQ(failures[1].outcome, Outcome::compile_failed);
}

}  // namespace
}  // namespace tilewright
