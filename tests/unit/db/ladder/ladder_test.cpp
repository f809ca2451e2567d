#include "db/ladder/ladder.hpp"

#include <gtest/gtest.h>

#include "tests/unit/db/ladder/ladder_fixture.hpp"

namespace tilewright {
namespace {

using namespace test;

TEST_F(LadderTest, NumbersAndNamesAreThoseOfTheLadder) {
  EXPECT_EQ(static_cast<int>(Rung::exact), 2);
  EXPECT_EQ(static_cast<int>(Rung::other_policy), 3);
  EXPECT_EQ(static_cast<int>(Rung::near_problem), 4);
  EXPECT_EQ(static_cast<int>(Rung::near_device), 5);
  EXPECT_EQ(static_cast<int>(Rung::portable), 6);
  EXPECT_EQ(to_text(Rung::portable), "portable");
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

TEST_F(LadderTest, PassesOverWhatHasTurnedOutNotToRun) {
  const std::vector rows = {row("scale/plain", configuration(64), 20),
                            row("scale/wide", configuration(128), 10)};
  question_.excluded = {{"scale/wide", configuration(128), Rung::exact}};
  EXPECT_EQ(climb(question_, rows)->implementation, &plain_);
  EXPECT_EQ(climb(question_, rows)->rung, Rung::exact);
  question_.excluded.push_back({"scale/plain", configuration(64), Rung::exact});
  EXPECT_EQ(climb(question_, rows)->rung, Rung::manifest_default);
  EXPECT_EQ(climb(question_, rows)->implementation, &plain_);
  question_.excluded.push_back({"scale/plain", configuration(32)});
  EXPECT_EQ(climb(question_, rows)->implementation, &wide_);
  question_.excluded.push_back({"scale/wide", configuration(32), Rung::manifest_default});
  EXPECT_FALSE(climb(question_, rows));
}

TEST_F(LadderTest, PassesOverAnotherConfigurationOfTheSameRungOnlyIfThatIsMeant) {
  const std::vector rows = {row("scale/plain", configuration(64), 20, CachePolicy::robust),
                            row("scale/plain", configuration(128), 30, CachePolicy::cold)};
  question_.excluded = {{"scale/plain", configuration(64)}};
  EXPECT_EQ(climb(question_, rows)->configuration, configuration(128));
  question_.excluded = {{"scale/plain", configuration(64), Rung::other_policy}};
  EXPECT_EQ(climb(question_, rows)->rung, Rung::manifest_default);
}

TEST_F(LadderTest, SaysWhyAnOverrideIsPassedOver) {
  device_.compute_capability = 80;
  question_.device = device_;
  Implementation bulk = wide_;
  bulk.requires_architecture = "sm_90a";
  question_.implementations = {&bulk, &plain_};
  question_.overrides = {{"scale/wide", {}, configuration(64)},
                         {"scale/plain", {}, configuration(96)}};
  const auto answer = climb(question_, {row("scale/plain", configuration(64), 20)});
  EXPECT_EQ(answer->rung, Rung::exact);
  EXPECT_EQ(answer->unfit_overrides,
            "override: scale/wide needs sm_90a, and this is sm_80; override: that of scale/plain "
            "does not fit this problem on this device");
  EXPECT_EQ(climb(question_, std::vector<BestRow>{})->implementation, &plain_);
}

TEST_F(LadderTest, RobustIsTheUsualPolicyAndColdTheNextBest) {
  std::vector rows = {row("scale/plain", configuration(32), 10, CachePolicy::warm),
                      row("scale/plain", configuration(64), 20, CachePolicy::cold),
                      row("scale/plain", configuration(128), 30, CachePolicy::robust)};
  EXPECT_EQ(climb(question_, rows)->configuration, configuration(128));
  EXPECT_EQ(climb(question_, rows)->rung, Rung::exact);
  rows.pop_back();
  EXPECT_EQ(climb(question_, rows)->configuration, configuration(64));
  EXPECT_EQ(climb(question_, rows)->rung, Rung::exact) << "nobody asked for a policy";
  question_.cache = CachePolicy::robust;
  EXPECT_EQ(climb(question_, rows)->configuration, configuration(64));
  EXPECT_EQ(climb(question_, rows)->rung, Rung::other_policy);
  question_.cache = CachePolicy::warm;
  EXPECT_EQ(climb(question_, rows)->configuration, configuration(32));
  EXPECT_EQ(climb(question_, rows)->rung, Rung::exact);
}

TEST_F(LadderTest, RobustRowsCountByBothTheirTimes) {
  BestRow fast_cold = row("scale/plain", configuration(64), 10);
  fast_cold.trial.warm_timing = row("scale/plain", configuration(64), 16).trial.timing;
  BestRow even = row("scale/wide", configuration(64), 12);
  even.trial.warm_timing = row("scale/wide", configuration(64), 12).trial.timing;
  const auto answer = climb(question_, {fast_cold, even});
  EXPECT_EQ(answer->implementation, &wide_) << "1.2 times as long cold, the other 1.33 warm";
  EXPECT_EQ(answer_of(*answer, question_.problem).warm_median_us, 12);
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
  const auto none = climb(question_, std::vector<BestRow>{});
  EXPECT_EQ(none->rung, Rung::manifest_default);
  EXPECT_EQ(none->implementation, &plain_);
  EXPECT_EQ(none->configuration, configuration(32));
  EXPECT_FALSE(none->row);
  EXPECT_NE(none->reason.find("no finished sweep"), std::string::npos);
  RowsInSteps locked;
  locked.why_not = "locked";
  EXPECT_EQ(climb(question_, locked).answer->reason, "locked");
  EXPECT_EQ(climb(question_, locked).why_not_read, "locked");

  const auto unfit = climb(question_, {row("scale/plain", configuration(96), 20)});
  EXPECT_NE(unfit->reason.find("no longer fits"), std::string::npos) << unfit->reason;
  BestRow old = row("scale/plain", configuration(64), 20);
  old.epoch = 2;
  EXPECT_NE(climb(question_, {old})->reason.find("epoch"), std::string::npos);
}

TEST_F(LadderTest, TheDefaultMustFitToo) {
  question_.problem.values["n"] = 31;
  EXPECT_FALSE(climb(question_, std::vector<BestRow>{}));
  Implementation small = implementation("small");
  small.parameters.front() = {"BLOCK", "", {16, 32}, 16, std::nullopt};
  question_.implementations = {&plain_, &small};
  EXPECT_EQ(climb(question_, std::vector<BestRow>{})->implementation, &small);
}

TEST_F(LadderTest, WithoutADeviceOnlyTheDefaultAnswers) {
  question_.device.reset();
  const auto answer = climb(question_, {row("scale/plain", configuration(64), 20)});
  EXPECT_EQ(answer->rung, Rung::manifest_default);
  EXPECT_NE(answer->reason.find("no device"), std::string::npos) << answer->reason;
}

TEST_F(LadderTest, TheNearestProblemOfItsClassStandsIn) {
  const auto at = [&](std::int64_t n, std::int64_t block, double median_us) {
    BestRow one = row("scale/plain", configuration(block), median_us);
    one.problem.values["n"] = n;
    return one;
  };
  const auto answer = climb(question_, {at(1024, 32, 5), at(6000, 64, 20), at(65536, 128, 30)});
  EXPECT_EQ(answer->rung, Rung::near_problem);
  EXPECT_EQ(answer->configuration, configuration(64));
  EXPECT_NEAR(answer->distance, 0.3819, 1e-3);  // ln(6000 / 4096)
  EXPECT_NE(answer->reason.find("no finished sweep"), std::string::npos) << answer->reason;
  EXPECT_EQ(climb(question_, {at(6000, 96, 20), at(1024, 32, 5)})->configuration, configuration(32))
      << "what does not fit makes way for the next nearest";
  EXPECT_EQ(climb(question_, {at(4096 * 32, 64, 20)})->rung, Rung::manifest_default)
      << "ln 32 is too far";
}

TEST_F(LadderTest, AnotherClassIsNoNeighbour) {
  Operation aligned = operation_;
  aligned.classes = {parsed("n % 4 == 0")};
  question_.operation = &aligned;
  BestRow odd = row("scale/plain", configuration(64), 20);
  odd.problem.values["n"] = 4097;
  EXPECT_EQ(climb(question_, {odd})->rung, Rung::manifest_default);
  odd.problem.values["n"] = 4100;
  EXPECT_EQ(climb(question_, {odd})->rung, Rung::near_problem);
}

TEST_F(LadderTest, DimensionsWithoutARoleDoNotCount) {
  Operation padded = operation_;
  padded.dimensions.push_back({"pitch", "", 64, 64});
  padded.dimensions.back().role = ProblemRole::none;
  question_.operation = &padded;
  question_.problem.values["pitch"] = 4096;
  BestRow other = row("scale/plain", configuration(64), 20);
  other.problem.values["pitch"] = 8192;
  EXPECT_EQ(climb(question_, {other})->rung, Rung::near_problem);
  EXPECT_EQ(climb(question_, {other})->distance, 0);
}

TEST_F(LadderTest, ARelatedDeviceStandsInBehindOnesOwn) {
  const auto on = [&](int compute_capability, int sm_count, std::int64_t block) {
    BestRow one = row("scale/plain", configuration(block), 20);
    one.device.name = "sibling";
    one.device.compute_capability = compute_capability;
    one.device.sm_count = sm_count;
    return one;
  };
  question_.device->compute_capability = 90;
  question_.device->sm_count = 132;
  const auto nearest = climb(question_, {on(90, 78, 32), on(90, 114, 64)});
  EXPECT_EQ(nearest->rung, Rung::near_device);
  EXPECT_EQ(nearest->configuration, configuration(64));
  EXPECT_EQ(climb(question_, {on(80, 132, 64)})->rung, Rung::manifest_default);
  BestRow own = row("scale/plain", configuration(128), 20);
  own.device = *question_.device;
  own.problem.values["n"] = 8000;
  EXPECT_EQ(climb(question_, {on(90, 132, 64), own})->rung, Rung::near_problem);
}

TEST_F(LadderTest, AnOverrideComesFirstWhereItFits) {
  const std::vector<BestRow> rows = {row("scale/plain", configuration(64), 20)};
  question_.overrides = {{"scale/plain", {{"n", 5000}}, configuration(32)},
                         {"scale/plain", {{"n", 4096}}, configuration(96)},
                         {"scale/wide", {}, configuration(128)}};
  EXPECT_EQ(climb(question_, rows)->rung, Rung::override_given);
  EXPECT_EQ(climb(question_, rows)->implementation, &wide_);
  question_.implementations = {&plain_};
  EXPECT_EQ(climb(question_, rows)->rung, Rung::exact);
}

// What does well in general, as a source gives it; the default BLOCK=32 takes 1.5 times the best.
TEST(Require, AcceptsWhatIsStrongEnough) {
  EXPECT_TRUE(accepts(Require::exact, Rung::override_given));
  EXPECT_TRUE(accepts(Require::exact, Rung::exact));
  EXPECT_FALSE(accepts(Require::exact, Rung::other_policy));
  EXPECT_TRUE(accepts(Require::device, Rung::near_problem));
  EXPECT_FALSE(accepts(Require::device, Rung::near_device));
  EXPECT_TRUE(accepts(Require::any, Rung::manifest_default));
  EXPECT_FALSE(accepts(Require::any, Rung::none));
}

TEST_F(LadderTest, WhatIsDoubtfulComesAfterAllElseOnItsRung) {
  const auto at = [&](std::int64_t n, std::int64_t block) {
    BestRow one = row("scale/plain", configuration(block), 10);
    one.problem.values["n"] = n;
    one.trial.verification = Verification{1, 1, 0, 0, 1};
    return one;
  };
  BestRow near = at(4097, 64);
  BestRow far = at(9000, 128);
  EXPECT_EQ(climb(question_, {near, far})->configuration, configuration(64));
  near.imported = true;
  EXPECT_EQ(climb(question_, {near, far})->configuration, configuration(128));
  near.imported = false;
  near.trial.verification.reset();
  EXPECT_EQ(climb(question_, {near, far})->configuration, configuration(128));
  far.trial.verification.reset();
  EXPECT_EQ(climb(question_, {near, far})->configuration, configuration(64));

  BestRow imported = at(4096, 32);  // exact, and the fastest
  imported.imported = true;
  imported.trial.timing->median_us = 1;
  EXPECT_EQ(climb(question_, {imported, at(4096, 64)})->configuration, configuration(64));
  EXPECT_EQ(climb(question_, {imported, far})->configuration, configuration(32));
}

TEST_F(LadderTest, ADatabaseGoesBeforeWhatIsShipped) {
  BestRow shipped = row("scale/plain", configuration(64), 1);
  shipped.shipped = true;
  shipped.trial.verification = Verification{1, 1, 0, 0, 1};
  BestRow own = row("scale/wide", configuration(128), 100);
  own.trial.verification = shipped.trial.verification;
  EXPECT_EQ(climb(question_, {shipped, own})->configuration, configuration(128));

  own.problem.values["n"] = 5000;  // the shipped one is exact
  EXPECT_EQ(climb(question_, {shipped, own})->configuration, configuration(64));
  shipped.problem.values["n"] = 5000;
  EXPECT_EQ(climb(question_, {shipped, own})->configuration, configuration(128));
  shipped.problem.values["n"] = 4500;  // nearer
  EXPECT_EQ(climb(question_, {shipped, own})->configuration, configuration(64));
}

TEST_F(LadderTest, ShippedRowsAreAskedForOnlyWhereTheDatabaseIsNotExact) {
  BestRow own = row("scale/plain", configuration(128), 10);
  own.trial.verification = Verification{1, 1, 0, 0, 1};
  BestRow shipped = own;
  shipped.shipped = true;
  shipped.configuration = configuration(64);
  RowsInSteps source;
  source.shipped_rows = {shipped};
  const auto best = [&] {
    source.asked.clear();
    source.exact_rows = {own};
    return climb(question_, source).answer->configuration;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(best(), configuration(128));
  EXPECT_EQ(source.asked, Names{"exact"});
  own.policy.cache = CachePolicy::cold;
  EXPECT_EQ(best(), configuration(128)) << "own ones first, nobody asked for a policy";
  question_.cache = CachePolicy::robust;
  EXPECT_EQ(best(), configuration(64));
  EXPECT_EQ(source.asked, (Names{"exact", "shipped"}));
  own.policy.cache = CachePolicy::robust;
  own.imported = true;
  EXPECT_EQ(best(), configuration(64));
}

TEST_F(LadderTest, EachStepIsAskedForOnceAndNotAfterOneThatCannotBeRead) {
  using Names = std::vector<std::string>;
  RowsInSteps source;
  EXPECT_EQ(climb(question_, source).answer->rung, Rung::manifest_default);
  EXPECT_EQ(source.asked, (Names{"exact", "shipped", "unfinished", "near", "portable"}));
  source.asked.clear();
  source.why_not = "locked";
  EXPECT_EQ(climb(question_, source).answer->reason, "locked");
  EXPECT_EQ(source.asked, (Names{"exact", "shipped"}));
}

}  // namespace
}  // namespace tilewright
