#include <gtest/gtest.h>

#include "db/exchange/exchange.hpp"
#include "db/tables/sqlite.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::measured;
using test::sweep_key;

Trial ended(Trial trial, double seconds) {
  trial.ended_s = seconds;
  return trial;
}

// A database of version 4 with a finished sweep and an unfinished one. Its trials do not say when
// they ended.
class Version4 : public ::testing::Test {
 protected:
  void SetUp() override {
    {
      Store store(folder_ / "new.db");
      test::finished(store, sweep_key(), {measured(8, 10), measured(8, 11, Stage::final)});
      const auto open = store.begin_sweep(sweep_key(512), test::environment(), Store::Start::fresh);
      store.add_trial(open.id, measured(16, 5));
      csv_ = export_csv(store.best({}));
    }
    Database database(file_, Database::Mode::read_write, std::chrono::milliseconds(50));
    database.execute(
        test::read_file(TILEWRIGHT_SOURCE_DIR "/tests/unit/db/store/schema_version_4.sql"));
    database.execute("PRAGMA application_id = 1415005268; PRAGMA user_version = 4");
    database.execute("ATTACH '" + (folder_ / "new.db").string() + "' AS new");
    for (const std::string table : {"device", "environment", "implementation", "problem", "policy",
                                    "sweep", "sweep_implementation", "trial", "best", "portable"}) {
      const std::string columns = database.text(
          "SELECT group_concat(name, ', ') FROM pragma_table_info('" + table + "', 'main')");
      database.execute("INSERT INTO main." + table + " (" + columns + ") SELECT " + columns +
                       " FROM new." + table);
    }
    database.execute("DETACH new");
  }

  test::Folder folder_;
  std::filesystem::path file_ = folder_ / "old.db";
  std::string csv_;
};

TEST_F(Version4, IsReadWithoutBeingWritten) {
  const std::string bytes = test::read_file(file_);
  std::string json;
  {
    const Store store(file_, Store::Mode::read_only);
    EXPECT_EQ(store.id().size(), 32U);
    EXPECT_EQ(export_csv(store.best({})), csv_);
    EXPECT_EQ(store.trials(1).at(0), measured(8, 10));
    json = export_json(store, {});
  }
  EXPECT_FALSE(test::contains(json, "ended_s"));
  EXPECT_EQ(test::read_file(file_), bytes);
  Store other(folder_ / "other.db");
  EXPECT_EQ(other.import_sweeps(import_json(json, "x")).added, 1U);
}

TEST_F(Version4, AReaderStaysRightWhileAnotherProcessMigratesTheFile) {
  const Store reader(file_, Store::Mode::read_only);
  const std::string id = reader.id();
  Store writer(file_);
  EXPECT_EQ(writer.id(), id);
  EXPECT_EQ(export_csv(reader.best({})), csv_);
  EXPECT_EQ(reader.trials(1), writer.trials(1));
}

TEST_F(Version4, NewTrialsSayWhenTheyEnded) {
  Store store(file_);
  const auto resumed = store.begin_sweep(sweep_key(512), test::environment(), Store::Start::resume);
  store.add_trial(resumed.id, ended(measured(32, 4), 1.25));
  const std::vector<Trial> trials = store.trials(resumed.id);
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_FALSE(trials[0].ended_s);
  EXPECT_EQ(trials[1].ended_s, 1.25);
}

TEST_F(Version4, AnExportKeepsWhenTrialsEnded) {
  Store store(folder_ / "fresh.db");
  test::finished(store, sweep_key(), {ended(measured(8, 10), 0.5), measured(16, 10)});
  Store other(folder_ / "other.db");
  other.import_sweeps(import_json(export_json(store, {}), "x"));
  EXPECT_EQ(other.trials(1), store.trials(1));
  EXPECT_EQ(other.trials(1).at(0).ended_s, 0.5);
}

}  // namespace
}  // namespace tilewright
