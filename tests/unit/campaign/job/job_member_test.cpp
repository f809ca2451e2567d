#include "campaign/job/job.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "tests/support/memory_files.hpp"
#include "tests/unit/campaign/job/sample_job.hpp"

namespace tilewright::test {
namespace {

using Fate = MemoryFiles::Fate;
using std::chrono::seconds;

class JobMemberTest : public ::testing::Test {
 protected:
  JobMemberTest() {
    Job::create(files_, kJobFolder, sample_plan(3));
    job_.emplace(files_, kJobFolder);
  }

  // A member whose clock shows `skew` more than the others'.
  JobMember member(int number, seconds skew = seconds(0)) {
    return {*job_, id_of(number), "process " + std::to_string(number),
            [this, skew] { return JobMember::Clock::time_point(now_ + skew); }};
  }
  const JobUnit& unit(std::size_t index) const { return job_->plan().units[index]; }
  std::vector<std::string> names(const std::string& part) const {
    return files_.names_in(std::string(kJobFolder) + '/' + part);
  }

  MemoryFiles files_;
  std::optional<Job> job_;
  seconds now_{1000};
};

TEST_F(JobMemberTest, ClaimsTheLongestFirstAndNoUnitTwice) {
  JobMember one = member(1);
  JobMember two = member(2);
  EXPECT_EQ(one.claim(), &unit(0));
  EXPECT_EQ(two.claim(), &unit(1));
  EXPECT_EQ(one.claim(), &unit(0));  // as long as it has it
  EXPECT_TRUE(one.finish(unit(0), "result"));
  EXPECT_EQ(one.claim(), &unit(2));
  EXPECT_TRUE(one.finish(unit(2), "result"));
  EXPECT_TRUE(two.finish(unit(1), "result"));
  EXPECT_EQ(one.claim(), nullptr);
  EXPECT_FALSE(one.may_inherit());
  EXPECT_EQ(names("done").size(), 3U);
  EXPECT_EQ(files_.read(job_->result_of(unit(1).id, id_of(2))), "result");
}

TEST_F(JobMemberTest, WhatIsGivenBackIsClaimedAgainWithItsTrials) {
  JobMember one = member(1);
  ASSERT_EQ(one.claim(), &unit(0));
  EXPECT_TRUE(one.kept_trials(unit(0)).empty());
  one.give_back(unit(0), "trials");
  JobMember two = member(2);
  EXPECT_EQ(two.claim(), &unit(0));
  EXPECT_EQ(two.kept_trials(unit(0)), std::vector<std::string>{"trials"});
  EXPECT_TRUE(two.kept_trials(unit(1)).empty());
}

TEST_F(JobMemberTest, WhatItRefusesIsLeftToOthers) {
  JobMember one = member(1);
  ASSERT_EQ(one.claim(), &unit(0));
  one.refuse(unit(0));
  EXPECT_EQ(one.claim(), &unit(1));
  EXPECT_TRUE(one.finish(unit(1), ""));
  EXPECT_EQ(one.claim(), &unit(2));
  EXPECT_TRUE(one.finish(unit(2), ""));
  EXPECT_EQ(one.claim(), nullptr);
  EXPECT_EQ(member(2).claim(), &unit(0));
}

TEST_F(JobMemberTest, TheProcessAfterADeadOneGoesOnAtOnce) {
  ASSERT_EQ(member(1).claim(), &unit(0));
  EXPECT_EQ(member(1).claim(), &unit(0));
}

// Whatever the clocks of the machines show.
TEST_F(JobMemberTest, ADeadMembersUnitIsInheritedAfterALease) {
  for (const seconds skew : {seconds(0), seconds(-900), seconds(86'400)}) {
    files_ = MemoryFiles();
    Job::create(files_, kJobFolder, sample_plan(1));
    JobMember dead = member(1, skew);
    ASSERT_EQ(dead.claim(), &unit(0));
    JobMember heir = member(2);
    EXPECT_EQ(heir.claim(), nullptr);
    EXPECT_TRUE(heir.may_inherit());
    now_ += seconds(59);
    EXPECT_EQ(heir.claim(), nullptr);
    EXPECT_TRUE(heir.may_inherit());
    now_ += seconds(1);
    EXPECT_EQ(heir.claim(), &unit(0));
    EXPECT_FALSE(dead.finish(unit(0), "late"));  // it was only slow
    EXPECT_TRUE(names("results").empty());
    EXPECT_TRUE(heir.finish(unit(0), "right"));
    EXPECT_EQ(files_.read(job_->result_of(unit(0).id, id_of(2))), "right");
  }
}

TEST_F(JobMemberTest, AMemberThatBeatsKeepsItsUnit) {
  JobMember slow = member(1, seconds(-5000));
  JobMember idle = member(2);
  for (const JobUnit& one : {unit(0), unit(1)}) {
    ASSERT_EQ(idle.claim()->id, one.id);
    ASSERT_TRUE(idle.finish(one, ""));
  }
  ASSERT_EQ(slow.claim(), &unit(2));
  EXPECT_EQ(idle.claim(), nullptr);
  EXPECT_TRUE(idle.may_inherit());
  for (int i = 0; i < 10; ++i) {
    now_ += seconds(50);
    slow.beat();
    EXPECT_EQ(idle.claim(), nullptr);
    EXPECT_FALSE(idle.may_inherit());  // it has seen that the other lives
  }
}

TEST_F(JobMemberTest, OnlyOneOfSeveralHeirsGetsTheUnit) {
  ASSERT_EQ(member(1).claim(), &unit(0));
  JobMember two = member(2);
  JobMember three = member(3, seconds(7));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(two.finish(*two.claim(), ""));
  }
  EXPECT_EQ(two.claim(), nullptr);
  EXPECT_EQ(three.claim(), nullptr);
  now_ += seconds(60);
  const JobUnit* first = nullptr;
  files_.before = [&](const std::string& operation, const std::string&) {
    if (operation != "rename") return;
    files_.before = {};
    first = three.claim();  // just before two's rename
  };
  EXPECT_EQ(two.claim(), nullptr);
  EXPECT_EQ(first, &unit(0));
}

// The claim's rename was done, and its answer was lost.
TEST_F(JobMemberTest, ARenameThatOnlyReportsFailureIsAClaim) {
  JobMember one = member(1);
  files_.fate_of_rename = [](const auto&, const auto&) { return Fate::late; };
  EXPECT_EQ(one.claim(), nullptr);  // each was not done when it looked …
  files_.fate_of_rename = {};
  EXPECT_EQ(one.claim(), &unit(0));  // … and some were done later
  EXPECT_EQ(names("todo").size() + names("taken").size(), 3U);
}

TEST_F(JobMemberTest, AFullDiskLosesNoUnit) {
  JobMember one = member(1);
  ASSERT_EQ(one.claim(), &unit(0));
  files_.is_full = true;
  EXPECT_THROW(one.beat(), MachineError);
  EXPECT_THROW(one.finish(unit(0), "result"), MachineError);
  EXPECT_TRUE(names("done").empty());
  EXPECT_THROW(one.give_back(unit(0), "trials"), MachineError);
  EXPECT_EQ(names("todo").size(), 3U);  // given back all the same
}

// An heir takes the unit over between the member's last look and its rename.
TEST_F(JobMemberTest, AUnitThatIsLostWhileItsResultIsWrittenIsNotFinishedTwice) {
  JobMember slow = member(1);
  ASSERT_EQ(slow.claim(), &unit(0));
  JobMember heir = member(2);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(heir.finish(*heir.claim(), ""));
  EXPECT_EQ(heir.claim(), nullptr);
  now_ += seconds(60);
  files_.before = [&](const std::string& operation, const std::string&) {
    if (operation != "rename") return;
    files_.before = {};
    EXPECT_EQ(heir.claim(), &unit(0));
  };
  EXPECT_FALSE(slow.finish(unit(0), "late"));
  EXPECT_EQ(names("results").size(), 2U);
  EXPECT_TRUE(heir.finish(unit(0), "right"));
}

TEST_F(JobMemberTest, LeavingEndsItsBeat) {
  JobMember one = member(1);
  EXPECT_EQ(job_->name_of(id_of(1)), "process 1");
  one.leave();
  EXPECT_TRUE(names("alive").empty());
}

}  // namespace
}  // namespace tilewright::test
