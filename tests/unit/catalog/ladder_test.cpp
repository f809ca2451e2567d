// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/catalog/ladder.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

Expression parsed(const std::string& text) {
  return Expression::parse(text);
}

Operation scale_operation() {
  Operation operation;
  operation.name = "scale";
  operation.dimensions = {{"n", "", 64, 64}};
  Argument data;
  data.name = "data";
  data.count = parsed("n");
  operation.arguments = {data};
  return operation;
}

Implementation implementation(const std::string& name) {
  Implementation one;
  one.name = name;
  one.operation = "scale";
  one.parameters = {{"BLOCK", "", {32, 64, 128}, 32, std::nullopt},
                    {"UNROLL", "", {1, 2}, 1, std::nullopt}};
  one.constraints = {{parsed("BLOCK <= n"), "a block has work"},
                     {parsed("BLOCK * UNROLL <= 8 * device.warp_size"), "few registers"}};
  return one;
}

Configuration configuration(std::int64_t block, std::int64_t unroll = 1) {
  return {{{"BLOCK", block}, {"UNROLL", unroll}}};
}

class LadderTest : public testing::Test {
 protected:
  LadderTest() {
    device_.name = "GPU";
    device_.l2_bytes = 50 << 20;
    question_ = {&operation_, {&plain_, &wide_}, {"scale", {{"n", 4096}}}, device_, {}};
  }

  BestRow row(const std::string& name, const Configuration& best, double median_us,
              CachePolicy cache = CachePolicy::warm) const {
    BestRow row;
    row.implementation = name;
    row.configuration = best;
    row.trial.timing = Timing{{median_us}, median_us, median_us, median_us, median_us, 1, 0};
    row.policy.cache = cache;
    row.problem = question_.problem;
    row.device = device_;
    return row;
  }

  const Operation operation_ = scale_operation();
  const Implementation plain_ = implementation("plain");
  const Implementation wide_ = implementation("wide");
  Device device_;
  LadderQuestion question_;
};

TEST_F(LadderTest, NumbersAndNamesAreThoseOfTheLadder) {
  EXPECT_EQ(static_cast<int>(Rung::exact), 2);
  EXPECT_EQ(static_cast<int>(Rung::other_policy), 3);
  EXPECT_EQ(static_cast<int>(Rung::manifest_default), 7);
}

TEST_F(LadderTest, FitsNeedsEveryParameterWithAValueOfItsOwn) {
  const Problem& problem = question_.problem;
  EXPECT_TRUE(fits(plain_, configuration(128, 2), problem, device_));
  EXPECT_FALSE(fits(plain_, {{{"BLOCK", 128}}}, problem, device_));
  EXPECT_FALSE(fits(plain_, {{{"BLOCK", 128}, {"WIDTH", 1}}}, problem, device_));
  EXPECT_FALSE(fits(plain_, {{{"BLOCK", 128}, {"UNROLL", 1}, {"W", 1}}}, problem, device_));
  EXPECT_FALSE(fits(plain_, configuration(96), problem, device_));
  EXPECT_FALSE(fits(plain_, {{{"BLOCK", 128}, {"UNROLL", "1"}}}, problem, device_));
}

TEST_F(LadderTest, FitsJudgesTheProblemAndTheDevice) {
  EXPECT_FALSE(fits(plain_, configuration(128), {"scale", {{"n", 127}}}, device_));
  Device narrow = device_;
  narrow.warp_size = 16;
  EXPECT_FALSE(fits(plain_, configuration(128, 2), question_.problem, narrow));
  EXPECT_TRUE(fits(plain_, configuration(128, 1), question_.problem, narrow));
}

TEST_F(LadderTest, AConstraintWithoutResultDoesNotFit) {
  Implementation divides = plain_;
  divides.constraints = {{parsed("n / (BLOCK - 32) > 0"), "why"}};
  EXPECT_FALSE(fits(divides, configuration(32), question_.problem, device_));
  EXPECT_TRUE(fits(divides, configuration(64), question_.problem, device_));
}

TEST_F(LadderTest, ServesTheFastestOfAllImplementations) {
  const auto answer = climb(question_, {row("scale/plain", configuration(64), 20),
                                        row("scale/wide", configuration(128), 10)});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->rung, Rung::exact);
  EXPECT_EQ(answer->implementation, &wide_);
  EXPECT_EQ(answer->configuration, configuration(128));
  EXPECT_EQ(answer->row->trial.timing->median_us, 10);
  EXPECT_EQ(answer->reason, "");
}

TEST_F(LadderTest, PassesOverImplementationsThatWereNotAskedFor) {
  question_.implementations = {&plain_};
  const auto answer = climb(question_, {row("scale/plain", configuration(64), 20),
                                        row("scale/wide", configuration(128), 10)});
  EXPECT_EQ(answer->implementation, &plain_);
}

TEST_F(LadderTest, TheUsualPolicyFollowsTheOperandsSize) {
  const std::vector<BestRow> rows = {row("scale/plain", configuration(64), 20, CachePolicy::warm),
                                     row("scale/plain", configuration(128), 30, CachePolicy::cold)};
  EXPECT_EQ(climb(question_, rows)->configuration, configuration(64));
  question_.problem.values["n"] = 100'000'000;
  EXPECT_EQ(climb(question_, rows)->configuration, configuration(128));
  question_.cache = CachePolicy::warm;
  EXPECT_EQ(climb(question_, rows)->configuration, configuration(64));
  EXPECT_EQ(climb(question_, rows)->rung, Rung::exact);
}

TEST_F(LadderTest, TheOtherPolicyIsAWeakerRung) {
  question_.cache = CachePolicy::cold;
  const auto answer = climb(question_, {row("scale/plain", configuration(64), 20)});
  EXPECT_EQ(answer->rung, Rung::other_policy);
  EXPECT_EQ(answer->configuration, configuration(64));
}

TEST_F(LadderTest, ARowThatDoesNotFitMakesWayForTheNext) {
  const auto answer = climb(question_, {row("scale/wide", configuration(96), 10),
                                        row("scale/plain", configuration(64), 20)});
  EXPECT_EQ(answer->rung, Rung::exact);
  EXPECT_EQ(answer->implementation, &plain_);
}

TEST_F(LadderTest, TheDefaultSaysWhyNothingMeasuredAnswers) {
  const auto none = climb(question_, {});
  EXPECT_EQ(none->rung, Rung::manifest_default);
  EXPECT_EQ(none->implementation, &plain_);
  EXPECT_EQ(none->configuration, configuration(32));
  EXPECT_FALSE(none->row);
  EXPECT_NE(none->reason.find("no finished sweep"), std::string::npos);
  EXPECT_EQ(climb(question_, {}, "locked")->reason, "locked");

  const auto unfit = climb(question_, {row("scale/plain", configuration(96), 20)});
  EXPECT_NE(unfit->reason.find("no longer fits"), std::string::npos) << unfit->reason;
  BestRow old = row("scale/plain", configuration(64), 20);
  old.epoch = 2;
  EXPECT_NE(climb(question_, {old})->reason.find("epoch"), std::string::npos);
}

TEST_F(LadderTest, TheDefaultMustFitToo) {
  question_.problem.values["n"] = 31;
  EXPECT_FALSE(climb(question_, {}));
  Implementation small = implementation("small");
  small.parameters.front() = {"BLOCK", "", {16, 32}, 16, std::nullopt};
  question_.implementations = {&plain_, &small};
  EXPECT_EQ(climb(question_, {})->implementation, &small);
}

TEST_F(LadderTest, WithoutADeviceOnlyTheDefaultAnswers) {
  question_.device.reset();
  const auto answer = climb(question_, {row("scale/plain", configuration(64), 20)});
  EXPECT_EQ(answer->rung, Rung::manifest_default);
  EXPECT_NE(answer->reason.find("no device"), std::string::npos) << answer->reason;
}

}  // namespace
}  // namespace tilewright
