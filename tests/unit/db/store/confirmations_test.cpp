#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/stored_confirmations.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

class Confirmations : public ::testing::Test {
 protected:
  Confirmations() : store_(folder_ / "a.db") {
    finished(store_, sweep_key(),
             {measured(16, 30), measured(32, 20), measured(64, 10), measured(16, 31, Stage::final),
              measured(32, 21, Stage::final), measured(64, 11, Stage::final)});
  }

  BestRow row() const {
    Query query;
    query.implementation = "gemm/tiled";
    return store_.best(query).at(0);
  }

  Confirmation confirmation(Verdict verdict, std::int64_t at) const {
    Confirmation result;
    result.trial = row().trial_id;
    result.environment = {"590.1", "13.1", "NVRTC 13.1", "0.2.0"};
    result.at = at;
    result.verdict = verdict;
    return result;
  }

  std::vector<Confirmation> stored(std::int64_t trial) const {
    return stored_confirmations(folder_ / "a.db", trial);
  }

  Folder folder_;
  Store store_;
};

TEST_F(Confirmations, ComeBackAsTheyWere) {
  Confirmation first = confirmation(Verdict::moved, 1000);
  first.message = "1.5 times as long";
  first.code_hash = "beef";
  first.source_hash = "50";
  first.time = ConfirmedTime{16.5, 16, 17, 1755};
  Confirmation second = confirmation(Verdict::failed, 2000);
  second.message = "wrong_answer: \"x\"\n";
  store_.add_confirmation(second);
  store_.add_confirmation(first);
  const auto read = stored(first.trial);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0], first);
  EXPECT_EQ(read[1], second);
}

TEST_F(Confirmations, AreDatedWhenAddedWithoutAMoment) {
  store_.add_confirmation(confirmation(Verdict::holds, 0));
  const BestRow confirmed = row();
  EXPECT_GE(confirmed.confirmed, confirmed.finished);
}

TEST_F(Confirmations, NeedATrial) {
  Confirmation lost = confirmation(Verdict::holds, 1);
  lost.trial = 4711;
  EXPECT_THROW(store_.add_confirmation(lost), std::logic_error);
  EXPECT_TRUE(stored(4711).empty());
}

TEST_F(Confirmations, OnlyWhatConfirmsRenewsTheBestRow) {
  EXPECT_EQ(row().confirmed, 0);
  EXPECT_EQ(row().confirmed_environment, Environment{});
  for (const Verdict verdict : {Verdict::moved, Verdict::failed, Verdict::code_changed}) {
    store_.add_confirmation(confirmation(verdict, 9000));
    EXPECT_EQ(row().confirmed, 0) << to_text(verdict);
  }
  store_.add_confirmation(confirmation(Verdict::same_code, 5000));
  EXPECT_EQ(row().confirmed, 5000);
  Confirmation newer = confirmation(Verdict::holds, 6000);
  newer.environment.driver = "600.1";
  store_.add_confirmation(newer);
  EXPECT_EQ(row().confirmed, 6000);
  EXPECT_EQ(row().confirmed_environment, newer.environment);
  store_.add_confirmation(confirmation(Verdict::holds, 4000));  // the clock was ahead before
  EXPECT_EQ(row().confirmed, 4000);
}

TEST_F(Confirmations, NameEachSourceThatWasConfirmed) {
  const auto confirm = [&](Verdict verdict, const std::string& source) {
    Confirmation one = confirmation(verdict, 5000);
    one.source_hash = source;
    store_.add_confirmation(one);
    return row().confirmed_sources;
  };
  EXPECT_EQ(confirm(Verdict::same_code, "a1"), "a1");
  EXPECT_EQ(confirm(Verdict::holds, "a1"), "a1");
  EXPECT_EQ(confirm(Verdict::holds, ""), "a1");
  EXPECT_EQ(confirm(Verdict::code_changed, "b2"), "a1");
  EXPECT_EQ(confirm(Verdict::moved, "b2"), "a1");
  EXPECT_EQ(confirm(Verdict::holds, "c3"), "a1,c3");
}

TEST_F(Confirmations, LeaveTrialsAndBestAlone) {
  const BestRow before = row();
  store_.add_confirmation(confirmation(Verdict::failed, 9000));
  store_.rebuild_best();
  const BestRow after = row();
  EXPECT_EQ(after.trial, before.trial);
  EXPECT_EQ(after.trial_id, before.trial_id);
  EXPECT_EQ(stored(after.trial_id).size(), 1U);
}

TEST_F(Confirmations, RowsNameWhatTheWinnerWasComparedWith) {
  EXPECT_EQ(row().configuration, tile(64));
  EXPECT_EQ(row().runner_up, tile(32));
  EXPECT_EQ(row().default_configuration, tile(32));  // the key's
}

}  // namespace
}  // namespace tilewright::test
