// What a catalog makes of its database, and writes to it.
#include "db/tables/sqlite.hpp"
#include "tests/unit/db/catalog/catalog_fixture.hpp"

namespace tilewright {
namespace {

using namespace test;

TEST_F(CatalogTest, WhatWasNotAnsweredExactlyIsStoredAsWanted) {
  add_sample_sweep(database_);
  const Catalog catalog(options());
  catalog.look_up(question_);
  Question other = question_;
  other.problem["M"] = 100;
  catalog.look_up(other);
  std::string why;
  EXPECT_EQ(catalog.store_wanted(why), 1U);
  EXPECT_EQ(why, "");
  EXPECT_EQ(catalog.store_wanted(why), 0U);
  const auto wanted = Store(database_, Store::Mode::read_only).wanted("gemm");
  ASSERT_EQ(wanted.size(), 1U);
  EXPECT_EQ(wanted.front().subject.problem.values.at("M"), Value(100));
  EXPECT_EQ(wanted.front().subject.device, sample_device());
  EXPECT_GE(wanted.front().hits, 1);
  EXPECT_TRUE(Store(database_, Store::Mode::read_only).wanted("conv1d").empty());
}

TEST_F(CatalogTest, WantedIsOfEachDevice) {
  add_sample_sweep(database_);
  const Catalog catalog(options());
  Question whole = question_;
  whole.problem["M"] = 100;
  Question slice = whole;  // of a MIG GPU, which has the GPU's name
  slice.device->sm_count /= 2;
  for (int i = 0; i < 3; ++i) catalog.look_up(slice);
  catalog.look_up(whole);
  std::string why;
  EXPECT_EQ(catalog.store_wanted(why), 2U);
  const auto wanted = Store(database_, Store::Mode::read_only).wanted("gemm");
  ASSERT_EQ(wanted.size(), 2U);
  for (const Wanted& one : wanted) EXPECT_EQ(one.hits, one.subject.device == *whole.device ? 1 : 3);
}

TEST_F(CatalogTest, WantedCountsRememberedLookUpsAndMayBeStoredElsewhere) {
  add_sample_sweep(database_);
  const fs::path other = folder_.path() / "rank0.db";
  const Catalog catalog(options());
  Question question = question_;
  question.problem["M"] = 100;
  std::this_thread::sleep_for(std::chrono::milliseconds(150));  // the file is settled
  for (int i = 0; i < 5; ++i) catalog.look_up(question);
  std::string why;
  EXPECT_EQ(catalog.store_wanted(other, why), 1U);
  EXPECT_EQ(catalog.store_wanted(other, why), 0U);
  for (int i = 0; i < 2; ++i) catalog.look_up(question);
  EXPECT_EQ(catalog.store_wanted(other, why), 1U);
  EXPECT_EQ(why, "");
  const auto wanted = Store(other, Store::Mode::read_only).wanted("gemm");
  ASSERT_EQ(wanted.size(), 1U);
  EXPECT_EQ(wanted.front().hits, 7);
  EXPECT_TRUE(Store(database_, Store::Mode::read_only).wanted("gemm").empty());
}

TEST_F(CatalogTest, WantedWaitsWhereTheDatabaseCannotBeWritten) {
  fs::create_directory(database_);
  const Catalog catalog(options());
  catalog.look_up(question_);
  std::string why;
  EXPECT_EQ(catalog.store_wanted(why), 0U);
  EXPECT_NE(why.find("results.db"), std::string::npos) << why;
  fs::remove(database_);
  EXPECT_EQ(catalog.store_wanted(why), 1U);
  EXPECT_EQ(Store(database_, Store::Mode::read_only).wanted("gemm").size(), 1U);
}

TEST_F(CatalogTest, ABadDatabaseIsAReason) {
  const auto reason_with = [&](const std::string& content) {
    folder_.write("results.db", content);
    const Answer answer = ask(question_);
    EXPECT_EQ(answer.rung, Rung::manifest_default);
    EXPECT_TRUE(Catalog(options()).devices("gemm").empty());
    return answer.reason;
  };
  EXPECT_NE(reason_with("This is a letter, not a database.").find("results.db"), std::string::npos);
  EXPECT_NE(reason_with("").find("empty"), std::string::npos);

  fs::remove(database_);
  add_sample_sweep(database_);
  const auto half = fs::file_size(database_) / 2;
  fs::resize_file(database_, half - half % 4096);
  EXPECT_EQ(ask(question_).rung, Rung::manifest_default);
  EXPECT_NE(ask(question_).reason.find("results.db"), std::string::npos);

  fs::remove(database_);
  fs::create_directory(database_);
  EXPECT_NE(ask(question_).reason.find("results.db"), std::string::npos);
}

TEST_F(CatalogTest, AMissingDatabaseIsAReasonAndIsNotCreated) {
  EXPECT_NE(ask(question_).reason.find("there is no database"), std::string::npos);
  EXPECT_FALSE(fs::exists(database_));
  CatalogOptions none = options();
  none.database.clear();
  EXPECT_EQ(Catalog(none).look_up(question_).reason, "no database is given");
}

TEST_F(CatalogTest, ANewerDatabaseIsAReason) {
  add_sample_sweep(database_);
  Database(database_, Database::Mode::read_write, {}).execute("PRAGMA user_version = 99");
  EXPECT_NE(ask(question_).reason.find("newer"), std::string::npos) << ask(question_).reason;
}

TEST_F(CatalogTest, ALockedDatabaseIsAReasonUntilItIsFree) {
  add_sample_sweep(database_);
  const Catalog catalog(options());
  {
    Database writer(database_, Database::Mode::read_write, {});
    writer.execute("BEGIN EXCLUSIVE");
    const Answer answer = catalog.look_up(question_);
    EXPECT_EQ(answer.rung, Rung::manifest_default);
    EXPECT_NE(answer.reason.find("lock"), std::string::npos) << answer.reason;
  }
  EXPECT_EQ(catalog.look_up(question_).rung, Rung::exact);
}

TEST_F(CatalogTest, ReadsWhatAKilledWriterLeftAndSeesTheNextWriter) {
  const fs::path journal = database_.string() + "-journal";
  const fs::path live = folder_.path() / "live.db";
  add_sample_sweep(live);
  {
    Database writer(live, Database::Mode::read_write, {});
    writer.execute("BEGIN IMMEDIATE; DELETE FROM best");
    fs::copy_file(live, database_);
    fs::copy_file(live.string() + "-journal", journal);
  }
  const Catalog catalog(options());
  EXPECT_EQ(catalog.look_up(question_).rung, Rung::exact);
  EXPECT_TRUE(fs::exists(journal));
  Question elsewhere = question_;
  elsewhere.device = unrelated_device();
  EXPECT_NE(catalog.look_up(elsewhere).rung, Rung::exact);
  add_sample_sweep(database_, unrelated_device());
  EXPECT_FALSE(fs::exists(journal));
  EXPECT_EQ(catalog.look_up(elsewhere).rung, Rung::exact);
}

TEST_F(CatalogTest, SeesWhatIsStoredMeanwhile) {
  const Catalog catalog(options());
  EXPECT_EQ(catalog.look_up(question_).rung, Rung::manifest_default);
  add_sample_sweep(database_);
  EXPECT_EQ(catalog.look_up(question_).rung, Rung::exact);
  const fs::path other = folder_.path() / "other.db";
  add_sample_sweep(other, unrelated_device());
  EXPECT_EQ(catalog.look_up(question_).rung, Rung::exact);
  fs::rename(other, database_);
  EXPECT_EQ(catalog.look_up(question_).rung, Rung::manifest_default);
  fs::remove(database_);
  EXPECT_NE(catalog.look_up(question_).reason.find("there is no database"), std::string::npos);
}

TEST_F(CatalogTest, FollowsASweepThatIsRunning) {
  add_unfinished_sweep(database_);
  const Catalog catalog(options());
  Question question = question_;
  question.operation = "gemm/naive";
  Answer answer = catalog.look_up(question);
  EXPECT_EQ(answer.rung, Rung::other_policy);
  EXPECT_EQ(answer.median_us, 200);
  EXPECT_EQ(answer.reason, "the sweep is not finished, 1 of 3 tried");
  Store store(database_);
  Trial faster = store.trials(1).at(0);
  faster.configuration = kFast;
  faster.timing = Timing{{150}, 150, 150, 150, 150, 150, 150, 1, 1, 0};
  store.add_trial(1, faster);
  answer = catalog.look_up(question);
  EXPECT_EQ(answer.configuration, kFast);
  EXPECT_EQ(answer.reason, "the sweep is not finished, 2 of 3 tried");
  question.require = Require::exact;
  answer = catalog.look_up(question);
  EXPECT_EQ(answer.rung, Rung::none);
  EXPECT_EQ(answer.reason, "the sweep is not finished, 2 of 3 tried");
}

TEST_F(CatalogTest, WhatIsKnownToBeWrongIsAMiss) {
  add_unfinished_sweep(database_);
  const Catalog catalog(options());
  Question question = question_;
  question.operation = "gemm/naive";
  question.problem["M"] = 100;  // not measured
  Answer answer = catalog.look_up(question);
  EXPECT_EQ(answer.rung, Rung::manifest_default);
  const Configuration usual = answer.configuration;
  Store store(database_);
  Trial wrong = store.trials(1).at(0);
  wrong.stage = Stage::final;  // one of them was measured before
  wrong.outcome = Outcome::wrong_answer;
  wrong.timing.reset();
  for (int i = 0; i < 20 && answer.rung != Rung::none; ++i) {  // each general configuration
    wrong.configuration = answer.configuration;
    store.add_trial(1, wrong);
    answer = catalog.look_up(question);
    EXPECT_NE(answer.configuration, usual);
    EXPECT_NE(answer.reason.find("gave wrong answers for"), std::string::npos) << answer.reason;
  }
  EXPECT_EQ(answer.rung, Rung::none);
  EXPECT_EQ(answer.problem.values.at("M"), Value(100));
  EXPECT_NE(answer.reason.find("gemm/naive with BLOCK_X="), std::string::npos) << answer.reason;
}

TEST_F(CatalogTest, WhatIsNearIsReadAgainWhenTheDatabaseChanges) {
  add_sample_sweep(database_);
  const Catalog catalog(options());
  Question near = question_;
  near.operation = "gemm/naive";
  for (const std::int64_t size : {520, 521, 522}) {
    near.problem["M"] = size;
    EXPECT_EQ(catalog.look_up(near).rung, Rung::near_problem);
  }
  Database(database_, Database::Mode::read_write, {}).execute("DELETE FROM best");
  near.problem["M"] = 523;
  EXPECT_EQ(catalog.look_up(near).rung, Rung::manifest_default);
}

}  // namespace
}  // namespace tilewright
