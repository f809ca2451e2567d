#include "db/ladder/present.hpp"

#include <gtest/gtest.h>

#include "tests/support/folder_of_files.hpp"
#include "tests/unit/db/ladder/ladder_fixture.hpp"

namespace tilewright {
namespace {

using namespace test;

// The fixture's implementations, with sources.
class Present : public LadderTest {
 protected:
  Present() {
    family_.operation = operation_;
    family_.implementations = {plain_, wide_};
    for (Implementation& one : family_.implementations)
      one.source = folder_.write(one.name + ".cu", "// the source of " + one.name);
    question_.implementations = {&family_.implementations[0], &family_.implementations[1]};
    present_.emplace(family_);
    question_.present = &*present_;
  }
  // The row as if it were measured with this source.
  static BestRow with(std::string source_hash, BestRow row) {
    row.source_hash = std::move(source_hash);
    return row;
  }
  std::string hash(const std::string& name) const { return present_->source_hash(name); }

  FolderOfFiles folder_;
  Family family_;
  std::optional<PresentDefinitions> present_;
};

TEST_F(Present, ComparesWithTheSourceAsItIsOrAsARecheckConfirmedIt) {
  EXPECT_EQ(hash("scale/plain").size(), 32U);
  BestRow one = row("scale/plain", configuration(64), 20);
  EXPECT_FALSE(present_->has_other_source(one));  // nobody knows
  EXPECT_FALSE(present_->has_other_source(with(hash("scale/plain"), one)));
  one = with("other", one);
  EXPECT_TRUE(present_->has_other_source(one));
  one.confirmed_sources = "another," + hash("scale/plain");
  EXPECT_FALSE(present_->has_other_source(one));
}

TEST_F(Present, WhatCannotBeReadIsNotAnotherSource) {
  family_.implementations[0].source = folder_.path() / "none.cu";
  const PresentDefinitions present(family_);
  EXPECT_EQ(present.source_hash("scale/plain"), "");
  EXPECT_EQ(present.source_hash("scale/unknown"), "");
  for (const char* name : {"scale/plain", "scale/unknown"})
    EXPECT_FALSE(present.has_other_source(with("other", row(name, configuration(64), 20)))) << name;
}

TEST_F(Present, ReadsASourceOnce) {
  const std::string before = hash("scale/plain");
  folder_.write("plain.cu", "#error");
  EXPECT_EQ(hash("scale/plain"), before);
  EXPECT_NE(PresentDefinitions(family_).source_hash("scale/plain"), before);
}

TEST_F(Present, DefinesWhatHasItsEpochItsSourceAndItsParameters) {
  const BestRow good = with(hash("scale/plain"), row("scale/plain", configuration(64), 20));
  EXPECT_TRUE(present_->defines(good));
  BestRow other = good;
  other.epoch = 2;
  EXPECT_FALSE(present_->defines(other));
  EXPECT_FALSE(present_->defines(with("other", good)));
  EXPECT_FALSE(present_->defines(row("scale/plain", configuration(48), 20)));
  EXPECT_FALSE(present_->defines(row("scale/unknown", configuration(64), 20)));
}

// A changed source does not make another implementation fast.
TEST_F(Present, TheFastestAnswersUnlessItMustBeExact) {
  const std::vector<BestRow> rows = {
      with("other", row("scale/plain", configuration(64), 5)),
      with(hash("scale/wide"), row("scale/wide", configuration(128), 20))};
  EXPECT_EQ(climb(question_, rows)->configuration, configuration(64));
  EXPECT_TRUE(climb(question_, rows)->has_other_source);
  question_.require = Require::exact;
  const auto answer = climb(question_, rows);
  EXPECT_EQ(answer->configuration, configuration(128));
  EXPECT_EQ(answer->rung, Rung::exact);
  EXPECT_FALSE(answer_of(*answer, question_.problem).stale);
}

TEST_F(Present, TheAnswerSaysWhyItIsStaleAndExactRefusesIt) {
  const std::vector<BestRow> rows = {with("other", row("scale/plain", configuration(64), 5))};
  const auto stale = climb(question_, rows);
  EXPECT_EQ(stale->rung, Rung::exact);
  const Answer answer = answer_of(*stale, question_.problem);
  EXPECT_TRUE(answer.stale);
  EXPECT_EQ(answer.why_stale, "measured with another source of scale/plain");
  question_.require = Require::device;
  EXPECT_EQ(climb(question_, rows)->rung, Rung::exact);
  question_.require = Require::exact;
  const auto refused = climb(question_, rows);
  EXPECT_EQ(refused->rung, Rung::manifest_default);
  EXPECT_EQ(
      refused->reason,
      "the stored result was measured with another source of scale/plain; `tilewright recheck "
      "--compile-only` clears it if the code is the same");
}

// scale/plain is a kernel that takes 101 µs, scale/wide a library's routine that took 100 µs.
class PresentLibrary : public Present {
 protected:
  // With this version of the library here.
  std::optional<LadderAnswer> answer(const std::string& here, double plain_us = 101) {
    family_.implementations[1].routine = "lib";
    present_.emplace(family_);
    present_->know_libraries([here](const std::string& routine) {
      EXPECT_EQ(routine, "lib");
      return here;
    });
    return climb(question_, {row("scale/plain", configuration(64), plain_us),
                             with("Lib 13.1.0", row("scale/wide", configuration(128), 100))});
  }
};

TEST_F(PresentLibrary, AnswersWithTheVersionThatWasMeasured) {
  const auto same = answer("Lib 13.1.0");
  EXPECT_EQ(same->implementation->name, "wide");
  EXPECT_FALSE(answer_of(*same, question_.problem).stale);
}

TEST_F(PresentLibrary, OfAnotherVersionGivesWayToAKernelThatIsNearlyAsFast) {
  EXPECT_EQ(answer("Lib 13.2.0")->implementation->name, "plain");
  const auto other = answer("Lib 13.2.0", 103);
  EXPECT_EQ(other->implementation->name, "wide");
  EXPECT_EQ(answer_of(*other, question_.problem).why_stale,
            "measured with Lib 13.1.0, and another version is here");
}

TEST_F(PresentLibrary, WithoutItTheNextBestKernelAnswers) {
  for (const char* here : {"", "Lib 12.9.0"})
    EXPECT_EQ(answer(here, 500)->implementation->name, "plain") << here;
  EXPECT_EQ(present_->why_no_library(family_.implementations[1], "Lib 13.1.0"),
            "Lib 13.1.0 is not here but Lib 12.9.0");
  answer("");
  const auto standing = climb(question_, {row("scale/wide", configuration(128), 100)});
  EXPECT_EQ(standing->rung, Rung::manifest_default);
  EXPECT_EQ(standing->reason, "the stored result is of scale/wide, and lib is not here");
}

TEST_F(PresentLibrary, NeitherAnOverrideNorADefaultNeedsAMissingOne) {
  question_.overrides = {{"scale/wide", {}, configuration(128)}};
  EXPECT_EQ(answer("Lib 13.1.0")->rung, Rung::override_given);
  EXPECT_EQ(answer("")->implementation->name, "plain");
}

}  // namespace
}  // namespace tilewright
