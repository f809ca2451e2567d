#include <gtest/gtest.h>

#include "db/exchange/exchange.hpp"
#include "db/tables/sqlite.hpp"
#include "tests/unit/db/samples.hpp"

namespace tilewright {
namespace {

using test::measured;
using test::sweep_key;

// A database of version 6 with sweeps of two definitions and a confirmation. Its answers are those
// of the newer one, and nothing says what source was confirmed.
class Version6 : public ::testing::Test {
 protected:
  void SetUp() override {
    SweepKey older = sweep_key();
    older.implementations[1].source_hash = "older";
    {
      Store store(folder_ / "new.db");
      test::finished(store, older, {measured(16, 12)});
      test::finished(store, sweep_key(), {measured(8, 10), measured(8, 11, Stage::final)});
      store.add_confirmation({store.best({}).at(0).trial_id, test::environment(), 7, Verdict::holds,
                              "", "c0de", "", std::nullopt});
      csv_ = export_csv(store.best({}));
    }
    Database(folder_ / "new.db", Database::Mode::read_write, std::chrono::milliseconds(50))
        .execute("DELETE FROM best WHERE definition > 0");
    Database database(file_, Database::Mode::read_write, std::chrono::milliseconds(50));
    database.execute(
        test::read_file(TILEWRIGHT_SOURCE_DIR "/tests/unit/db/store/schema_version_6.sql"));
    database.execute("PRAGMA application_id = 1415005268; PRAGMA user_version = 6");
    database.execute("ATTACH '" + (folder_ / "new.db").string() + "' AS new");
    for (const std::string table :
         {"device", "environment", "implementation", "problem", "policy", "sweep",
          "sweep_implementation", "trial", "best", "portable", "confirmation"}) {
      const std::string columns = database.text(
          "SELECT group_concat(name, ', ') FROM pragma_table_info('" + table + "', 'main')");
      database.execute("INSERT INTO main." + table + " (" + columns + ") SELECT " + columns +
                       " FROM new." + table);
    }
    database.execute("DETACH new");
  }

  static bool is_older(const BestRow& row) { return row.source_hash == "older"; }

  test::Folder folder_;
  std::filesystem::path file_ = folder_ / "old.db";
  std::string csv_;
};

TEST_F(Version6, IsReadWithoutBeingWritten) {
  const std::string bytes = test::read_file(file_);
  {
    const Store store(file_, Store::Mode::read_only);
    EXPECT_EQ(export_csv(store.best({})), csv_);
    EXPECT_EQ(export_csv(store.best({}, is_older)), csv_);
    EXPECT_EQ(store.best({}).at(0).confirmed, 7);
    EXPECT_EQ(store.best({}).at(0).confirmed_sources, "");
  }
  EXPECT_EQ(test::read_file(file_), bytes);
}

TEST_F(Version6, AReaderStaysRightWhileAnotherProcessMigratesTheFile) {
  const Store reader(file_, Store::Mode::read_only);
  EXPECT_EQ(export_csv(reader.best({})), csv_);
  const Store writer(file_);
  EXPECT_EQ(export_csv(reader.best({})), csv_);
  EXPECT_EQ(reader.best({}, is_older).at(0).configuration, test::tile(16));
}

TEST_F(Version6, IsMigratedAndFindsTheAnswersOfEachDefinition) {
  Store store(file_);
  EXPECT_EQ(export_csv(store.best({})), csv_);
  const BestRow older = store.best({}, is_older).at(0);
  EXPECT_EQ(older.configuration, test::tile(16));
  EXPECT_EQ(older.confirmed, 0);
  const BestRow newer = store.best({}).at(0);
  EXPECT_EQ(newer.confirmed, 7);
  EXPECT_EQ(newer.confirmed_sources, "");
  store.add_confirmation(
      {newer.trial_id, test::environment(), 8, Verdict::holds, "", "", "ee", std::nullopt});
  EXPECT_EQ(store.best({}).at(0).confirmed_sources, "ee");
  Store fresh(folder_ / "fresh.db");
  const auto tables = [](const std::filesystem::path& file) {
    return Database(file, Database::Mode::read_only, std::chrono::milliseconds(50))
        .text(
            "SELECT group_concat(name || ':' || (SELECT group_concat(c.name) FROM "
            "pragma_table_info(s.name) c)) FROM (SELECT name FROM sqlite_schema "
            "WHERE type = 'table' ORDER BY name) s");
  };
  EXPECT_EQ(tables(file_), tables(folder_ / "fresh.db"));
}

}  // namespace
}  // namespace tilewright
