#include "db/store/claims.hpp"

#include <gtest/gtest.h>

#include "db/store/store.hpp"
#include "tests/unit/db/child.hpp"
#include "tests/unit/db/samples.hpp"

namespace tilewright {
namespace {

using test::Child;
using test::contains;
using test::environment;
using test::measured;
using test::message_of;
using test::sweep_key;
using Start = Store::Start;

// Two connections that ask for the same sweep, whatever locks they have.
class Claims : public ::testing::Test {
 protected:
  static SweepRecord begin(Store& store, Start start = Start::resume) {
    return store.begin_sweep(sweep_key(), environment(), start);
  }
  // Changes what the claim says of its owner.
  void rewrite(const std::string& columns) {
    Database(file_, Database::Mode::read_write, std::chrono::milliseconds(50))
        .execute("UPDATE claim SET " + columns);
  }
  std::string refusal(Store& store) {
    return message_of<SweepInUse>([&] { begin(store); });
  }

  test::Folder folder_;
  std::filesystem::path file_ = folder_ / "s.db";
};

TEST_F(Claims, TheSecondConnectionDoesNotAdoptARunningSweep) {
  Store first(file_);
  const SweepRecord sweep = begin(first);
  Store second(file_);
  EXPECT_TRUE(contains(refusal(second), "is measured by process " + std::to_string(::getpid())))
      << refusal(second);
  EXPECT_THROW(second.add_trial(sweep.id, measured(8, 5)), SweepInUse);
  EXPECT_THROW(second.finish_sweep(sweep.id, "{}"), SweepInUse);
  EXPECT_NE(begin(second, Start::fresh).uuid, sweep.uuid);
  first.add_trial(sweep.id, measured(8, 5));
  first.finish_sweep(sweep.id, "{}");
  EXPECT_EQ(first.trials(sweep.id).size(), 1U);
}

TEST_F(Claims, WhatIsFinishedIsNotBegunAgain) {
  Store first(file_);
  Store second(file_);
  const auto begun = first.begin_unless_finished(sweep_key(), environment());
  ASSERT_TRUE(begun);
  EXPECT_THROW(second.begin_unless_finished(sweep_key(), environment()), SweepInUse);
  first.add_trial(begun->id, measured(8, 5));
  first.finish_sweep(begun->id, "{}");
  EXPECT_FALSE(second.begin_unless_finished(sweep_key(), environment()));
  EXPECT_EQ(second.sweeps({}).size(), 1U);
}

TEST_F(Claims, OneThatEndedIsFree) {
  std::string uuid;
  {
    Store first(file_);
    uuid = begin(first).uuid;
  }
  Store second(file_);
  EXPECT_EQ(begin(second).uuid, uuid);
  EXPECT_EQ(begin(second).uuid, uuid);  // its own
}

TEST_F(Claims, AnotherProcessHoldsItUntilItIsKilled) {
  Child child([&](const Child::Report& report) {
    Store store(file_);
    report(begin(store).uuid);
    ::pause();
  });
  const std::string uuid = child.line();
  Store store(file_);
  EXPECT_TRUE(contains(refusal(store), "the same sweep is measured by process"));
  child.kill();
  EXPECT_EQ(begin(store).uuid, uuid);
}

TEST_F(Claims, ANumberThatAnotherProcessHasNowHoldsNothing) {
  Store first(file_);
  const std::string uuid = begin(first).uuid;
  rewrite("process_start = process_start - 1");
  Store second(file_);
  EXPECT_EQ(begin(second).uuid, uuid);
}

TEST_F(Claims, BeforeARestartOfTheHostHoldsNothing) {
  Store first(file_);
  const std::string uuid = begin(first).uuid;
  rewrite("boot = 'an earlier one'");
  Store second(file_);
  EXPECT_EQ(begin(second).uuid, uuid);
}

TEST_F(Claims, OnAnotherHostItHoldsWhileTrialsCome) {
  Store first(file_);
  const SweepRecord sweep = begin(first);
  const std::string elsewhere = "boot = 'another', host = 'another', process = 1";
  rewrite(elsewhere);
  Store second(file_);
  EXPECT_TRUE(contains(refusal(second), "process 1 of another"));
  rewrite("heartbeat = heartbeat - 3600");
  EXPECT_EQ(begin(second).uuid, sweep.uuid);
  // The first one learns of it.
  EXPECT_THROW(first.add_trial(sweep.id, measured(8, 5)), SweepInUse);
}

TEST_F(Claims, ARecoveredFileDoesNotTouchARunningSweep) {
  Store first(file_);
  const SweepRecord sweep = begin(first);
  Store second(file_);
  EXPECT_THROW(second.recover_sweeps({{sweep, {measured(8, 5)}}}), SweepInUse);
  EXPECT_TRUE(first.trials(sweep.id).empty());
}

TEST_F(Claims, AreGoneWithTheEndOfTheirSweep) {
  Store store(file_);
  store.finish_sweep(begin(store).id, "{}");
  EXPECT_EQ(Database(file_, Database::Mode::read_only, std::chrono::milliseconds(50))
                .integer("SELECT count(*) FROM claim"),
            0);
}

}  // namespace
}  // namespace tilewright
