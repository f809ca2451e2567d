// What was found to be wrong answers nowhere, and what a sweep measured that is not finished.
#include "db/ladder/known_wrong.hpp"

#include <gtest/gtest.h>

#include "tests/unit/db/ladder/ladder_fixture.hpp"

namespace tilewright {
namespace {

using namespace test;

class KnownWrongTest : public LadderTest {
 protected:
  KnownWrong found(const std::string& implementation, std::optional<Configuration> one = {}) const {
    KnownWrong wrong;
    wrong.implementation = implementation;
    wrong.configuration = std::move(one);
    wrong.problem = question_.problem;
    wrong.kind = device_.kind;
    wrong.device = device_.name;
    if (!wrong.configuration) wrong.wrong = wrong.tried = 9;
    return wrong;
  }
  KnownWrong found_at(std::int64_t n, const Configuration& one) const {
    KnownWrong wrong = found("scale/plain", one);
    wrong.problem.values["n"] = n;
    return wrong;
  }
  void know(std::vector<KnownWrong> all) {
    question_.known_wrong = std::make_shared<const KnownWrongs>(std::move(all));
  }
  LadderResult climbed(RowsInSteps source = {}) const { return climb(question_, source); }
  BestRow row_at(std::int64_t n, const Configuration& best) const {
    BestRow near = row("scale/plain", best, 10);
    near.problem.values["n"] = n;
    return near;
  }
  BestRow unfinished(std::size_t tried, std::size_t total) const {
    BestRow so_far = row("scale/plain", configuration(64), 10);
    so_far.unfinished = Progress{tried, total};
    return so_far;
  }

  const std::string all_wrong_ =
      "scale/plain gave wrong answers for n=4096 on GPU (9 of 9 tried were wrong)";
};

TEST_F(KnownWrongTest, TheNextImplementationAnswersAndTheReasonSaysWhatWasFound) {
  know({found("scale/plain")});
  const auto answer = climbed().answer;
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->rung, Rung::manifest_default);
  EXPECT_EQ(answer->implementation, &wide_);
  EXPECT_EQ(answer->reason, all_wrong_);
}

TEST_F(KnownWrongTest, IfNoneIsLeftThereIsNoAnswer) {
  know({found("scale/plain"), found("scale/wide", configuration(32))});
  const LadderResult result = climbed();
  EXPECT_FALSE(result.answer);
  EXPECT_EQ(
      result.known_wrong,
      all_wrong_ + "; scale/wide with BLOCK=32 UNROLL=1 gave wrong answers for n=4096 on GPU");
}

TEST_F(KnownWrongTest, ADefaultThatIsWrongForOneProblemAnswersForNone) {
  question_.implementations = {&plain_};
  KnownWrong fault = found_at(77, configuration(32));
  fault.outcome = Outcome::faulted;
  know({fault});
  EXPECT_EQ(climbed().known_wrong, "scale/plain with BLOCK=32 UNROLL=1 faulted for n=77 on GPU");
  question_.device.reset();
  EXPECT_FALSE(climbed().answer) << "a default without a device";
}

TEST_F(KnownWrongTest, OnlyThePresentCodeOnDevicesOfTheKindCounts) {
  question_.implementations = {&plain_};
  KnownWrong other_epoch = found("scale/plain");
  other_epoch.epoch = 2;
  KnownWrong other_kind = found("scale/plain");
  other_kind.kind = DeviceKind::host;
  KnownWrong all_of_another_problem = found("scale/plain");
  all_of_another_problem.problem.values["n"] = 5;
  know({other_epoch, other_kind, all_of_another_problem});
  EXPECT_TRUE(climbed().answer);
}

TEST_F(KnownWrongTest, AnOverrideIsTheUsersWill) {
  know({found("scale/plain"), found("scale/wide")});
  question_.overrides = {{"scale/plain", {}, configuration(32)}};
  EXPECT_EQ(climbed().answer->rung, Rung::override_given);
}

TEST_F(KnownWrongTest, AMeasuredRowGivesWayToWhatItsDeviceFoundLater) {
  RowsInSteps source;
  source.exact_rows = {row("scale/plain", configuration(64), 10)};
  know({found("scale/plain", configuration(64))});
  auto answer = climbed(source).answer;
  EXPECT_EQ(answer->rung, Rung::manifest_default);
  EXPECT_EQ(answer->reason,
            "scale/plain with BLOCK=64 UNROLL=1 gave wrong answers for n=4096 on GPU");
  KnownWrong elsewhere = found("scale/plain", configuration(64));
  elsewhere.device = "another GPU";
  know({elsewhere, found_at(77, configuration(64))});
  answer = climbed(source).answer;
  EXPECT_EQ(answer->rung, Rung::exact) << "measured here";
  EXPECT_EQ(answer->reason, "");
}

TEST_F(KnownWrongTest, NeitherShippedNorNearNorPortableRowsAnswerWithIt) {
  RowsInSteps source;
  source.shipped_rows = {row("scale/plain", configuration(64), 10)};
  source.near_rows = {row_at(5000, configuration(64))};
  PortableRow portable;
  portable.device = device_;
  portable.implementation = "scale/plain";
  portable.configuration = configuration(64);
  portable.mean_ratio = 1;
  source.portable_rows = {portable};
  EXPECT_EQ(climbed(source).answer->rung, Rung::exact);
  know({found("scale/plain", configuration(64))});
  EXPECT_EQ(climbed(source).answer->rung, Rung::manifest_default);
}

TEST_F(KnownWrongTest, ARowThatIsWrongForItsOwnProblemAnswersForNoOther) {
  RowsInSteps source;
  source.near_rows = {row_at(5000, configuration(64))};
  EXPECT_EQ(climbed(source).answer->rung, Rung::near_problem);
  know({found_at(5000, configuration(64))});
  EXPECT_EQ(climbed(source).answer->rung, Rung::manifest_default);
}

TEST_F(KnownWrongTest, OfManyOnlyWhatMightAnswerIsKept) {
  const KnownWrongs known({found("scale/plain"), found("scale/plain", configuration(32)),
                           found("scale/plain", configuration(64)),
                           found("scale/plain", configuration(128)),
                           found("scale/other", configuration(32))});
  const auto few = that_might_answer(known, {plain_, wide_}, {row_at(8, configuration(64))}, {});
  ASSERT_EQ(few.size(), 3U);
  EXPECT_EQ(few[0].configuration, std::nullopt);
  EXPECT_EQ(few[1].configuration, configuration(32)) << "the default";
  EXPECT_EQ(few[2].configuration, configuration(64)) << "of a row";
}

TEST_F(KnownWrongTest, AnUnfinishedSweepAnswersAfterFinishedOnesAndBeforeNearOnes) {
  RowsInSteps source;
  source.unfinished_rows = {unfinished(61, 512)};
  source.near_rows = {row_at(5000, configuration(128))};
  auto answer = climbed(source).answer;
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->rung, Rung::other_policy);
  EXPECT_EQ(answer->configuration, configuration(64));
  EXPECT_EQ(answer->reason, "the sweep is not finished, 61 of 512 tried");
  EXPECT_EQ(rung_text(*answer), "not finished, 61 of 512 tried");
  EXPECT_FALSE(accepts(Require::exact, answer->rung));
  EXPECT_TRUE(accepts(Require::device, answer->rung));
  source.shipped_rows = {row("scale/wide", configuration(32), 90)};
  EXPECT_EQ(climbed(source).answer->implementation, &wide_);
  source.shipped_rows.clear();
  source.exact_rows = {row("scale/plain", configuration(32), 90, CachePolicy::warm)};
  question_.cache = CachePolicy::cold;
  answer = climbed(source).answer;
  EXPECT_EQ(answer->configuration, configuration(32)) << "finished, under another policy";
  EXPECT_EQ(answer->reason, "");
}

TEST_F(KnownWrongTest, WhoseTotalIsNotKnownSaysWhatWasTried) {
  EXPECT_EQ(to_text(Progress{61, 0}), "not finished, 61 tried");
}

}  // namespace
}  // namespace tilewright
