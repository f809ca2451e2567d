#include <gtest/gtest.h>

#include "db/exchange/exchange.hpp"
#include "db/tables/sqlite.hpp"
#include "definition/json/json.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::failed;
using test::measured;
using test::sweep_key;

// As version 1 had it: without intervals of its own and without rounds.
Trial of_version_1(Trial trial) {
  if (!trial.timing) return trial;
  trial.timing->interval_low_us = trial.timing->lower_us;
  trial.timing->interval_high_us = trial.timing->upper_us;
  trial.timing->rounds = 1;
  return trial;
}

class Version1 : public ::testing::Test {
 protected:
  void SetUp() override {
    for (Trial& trial : trials_) {
      if (!trial.timing) continue;
      trial.timing->lower_us = trial.timing->median_us * 0.98;
      trial.timing->upper_us = trial.timing->median_us * 1.03;
    }
    for (const Trial& trial : trials_) expected_.push_back(of_version_1(trial));
  }

  std::vector<Trial> trials_ = {failed(64, Outcome::pruned), measured(8, 1.0 / 3),
                                failed(32, Outcome::compile_failed),
                                measured(8, 0.34, Stage::final)};
  std::vector<Trial> expected_;
  test::Folder folder_;
  std::filesystem::path file_ = folder_ / "old.db";
};

// A database of version 1 with a finished sweep, an unfinished one and their trials.
class Version1Database : public Version1 {
 protected:
  void SetUp() override {
    Version1::SetUp();
    {
      Store store(folder_ / "new.db");
      test::finished(store, sweep_key(), trials_);
      const auto open = store.begin_sweep(sweep_key(512), test::environment(), Store::Start::fresh);
      store.add_trials(open.id, trials_);
    }
    Database database(file_, Database::Mode::read_write, std::chrono::milliseconds(50));
    database.execute(
        test::read_file(TILEWRIGHT_SOURCE_DIR "/tests/unit/db/store/schema_version_1.sql"));
    database.execute("PRAGMA application_id = 1415005268; PRAGMA user_version = 1");
    database.execute("ATTACH '" + (folder_ / "new.db").string() + "' AS new");
    for (const std::string table : {"device", "environment", "implementation", "problem", "policy",
                                    "sweep", "sweep_implementation", "trial", "best"}) {
      const std::string columns = database.text(
          "SELECT group_concat(name, ', ') FROM pragma_table_info('" + table + "', 'main')");
      database.execute("INSERT INTO main." + table + " (" + columns + ") SELECT " + columns +
                       " FROM new." + table);
    }
    database.execute("DETACH new");
  }
};

TEST_F(Version1Database, IsBroughtUpToDateWithItsTrials) {
  Store store(file_);
  const auto sweeps = store.sweeps({});
  ASSERT_EQ(sweeps.size(), 2U);
  for (const SweepRecord& sweep : sweeps) EXPECT_EQ(store.trials(sweep.id), expected_);
  EXPECT_EQ(store.finished_sweep(sweep_key()).value().uuid, sweeps.at(0).uuid);
  ASSERT_EQ(store.best({}).size(), 1U);
  EXPECT_EQ(store.best({}).at(0).trial, expected_.back());
  // The unfinished one goes on.
  const auto resumed = store.begin_sweep(sweep_key(512), test::environment(), Store::Start::resume);
  EXPECT_EQ(resumed.uuid, sweeps.at(1).uuid);
  store.add_trial(resumed.id, measured(128, 3));
  store.finish_sweep(resumed.id, "{}");
}

TEST_F(Version1Database, ThenHasTheTablesOfANewOneAndStaysAppendOnly) {
  { Store store(file_); }
  { Store store(folder_ / "fresh.db"); }
  const auto shape = [](const std::filesystem::path& file) {
    Database database(file, Database::Mode::read_write, std::chrono::milliseconds(50));
    EXPECT_EQ(database.text("PRAGMA integrity_check"), "ok");
    return database.text(
        "SELECT group_concat(m.type || ' ' || m.name || ' ' || ifnull(c.name, '') || ' ' || "
        "ifnull(c.type, ''), char(10)) FROM (SELECT type, name FROM sqlite_schema ORDER BY type, "
        "name) m LEFT JOIN pragma_table_info(m.name) c");
  };
  EXPECT_EQ(shape(file_), shape(folder_ / "fresh.db"));
  Database database(file_, Database::Mode::read_write, std::chrono::milliseconds(50));
  EXPECT_EQ(database.integer("PRAGMA user_version"), 7);
  EXPECT_THROW(database.execute("UPDATE trial SET compile_ms = 0"), MachineError);
}

TEST_F(Version1Database, IsLeftAloneByAMigrationThatFails) {
  Database(file_, Database::Mode::read_write, std::chrono::milliseconds(50))
      .execute("CREATE TABLE confirmation (mine INTEGER)");
  const std::string bytes = test::read_file(file_);
  EXPECT_THROW(Store store(file_), MachineError);
  EXPECT_EQ(test::read_file(file_), bytes);
}

TEST_F(Version1, ExportsAreStillRead) {
  Store store(folder_ / "new.db");
  const SweepRecord sweep = test::finished(store, sweep_key(), trials_);
  Json document = Json::parse(export_json(store, {}));
  EXPECT_EQ(document["version"], 2);
  const auto now = import_json(document.dump(), "now.json");
  EXPECT_EQ(now.at(0).trials, trials_);

  document["version"] = 1;
  for (Json& trial : document["sweeps"][0]["trials"])
    if (trial.contains("timing"))
      for (const char* key : {"interval_low_us", "interval_high_us", "rounds"})
        trial["timing"].erase(key);
  const auto before = import_json(document.dump(), "old.json");
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(before.at(0).sweep.uuid, sweep.uuid);
  EXPECT_EQ(before.at(0).trials, expected_);

  document["version"] = 2;
  EXPECT_EQ(test::message_of<InputError>([&] { import_json(document.dump(), "cut.json"); }),
            "'cut.json': sweep 1: trial 2: 'interval_low_us' is missing");
}

}  // namespace
}  // namespace tilewright
