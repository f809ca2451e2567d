#include <gtest/gtest.h>

#include "db/catalog/fingerprint.hpp"
#include "db/exchange/exchange.hpp"
#include "db/tables/sqlite.hpp"
#include "tests/unit/db/samples.hpp"

namespace tilewright {
namespace {

using test::measured;
using test::sweep_key;

// A database of version 5 with a finished sweep, an unfinished one, and a confirmation. It knows no
// power limits.
class Version5 : public ::testing::Test {
 protected:
  void SetUp() override {
    {
      Store store(folder_ / "new.db");
      test::finished(store, sweep_key(), {measured(8, 10), measured(8, 11, Stage::final)});
      store.begin_sweep(sweep_key(512), test::environment(), Store::Start::fresh);
      store.add_confirmation({store.best({}).at(0).trial_id, test::environment(), 7, Verdict::holds,
                              "", "c0de", "", std::nullopt});
      csv_ = export_csv(store.best({}));
      hash_ = hash_of_results(store);
    }
    Database database(file_, Database::Mode::read_write, std::chrono::milliseconds(50));
    database.execute(
        test::read_file(TILEWRIGHT_SOURCE_DIR "/tests/unit/db/store/schema_version_5.sql"));
    database.execute("PRAGMA application_id = 1415005268; PRAGMA user_version = 5");
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
  static void measure_at_400_w(Store& store) {
    Environment limited = test::environment();
    limited.power_limit_w = 400;
    const auto sweep = store.begin_sweep(sweep_key(), limited, Store::Start::fresh);
    store.add_trials(sweep.id, {measured(16, 20), measured(16, 20, Stage::final)});
    store.finish_sweep(sweep.id, "{}");
  }
  std::int64_t count(const std::string& sql) const {
    return Database(file_, Database::Mode::read_only, std::chrono::milliseconds(50)).integer(sql);
  }

  test::Folder folder_;
  std::filesystem::path file_ = folder_ / "old.db";
  std::string csv_;
  std::string hash_;
};

TEST_F(Version5, IsReadWithoutBeingWritten) {
  const std::string bytes = test::read_file(file_);
  {
    const Store store(file_, Store::Mode::read_only);
    EXPECT_EQ(export_csv(store.best({})), csv_);
    EXPECT_EQ(hash_of_results(store), hash_);
    EXPECT_EQ(store.best({}).at(0).confirmed, 7);
    EXPECT_EQ(store.sweeps({}).at(0).environment, test::environment());
    EXPECT_TRUE(store.finished_sweep(sweep_key(), 700));
    EXPECT_TRUE(store.known_wrong("gemm").empty());
  }
  EXPECT_EQ(test::read_file(file_), bytes);
}

TEST_F(Version5, AReaderStaysRightWhileAnotherProcessMigratesTheFile) {
  const Store reader(file_, Store::Mode::read_only);
  Store writer(file_);
  EXPECT_EQ(export_csv(reader.best({})), csv_);
  EXPECT_EQ(reader.best({}).at(0).environment, test::environment());
  measure_at_400_w(writer);
  ASSERT_EQ(reader.best({}).size(), 2U);
  EXPECT_EQ(reader.best({}).at(0).environment.power_limit_w, 400);
  EXPECT_TRUE(reader.best({}).at(1).superseded);
}

TEST_F(Version5, IsMigratedWithItsRowsAndTheirReferences) {
  const Store store(file_);
  EXPECT_EQ(export_csv(store.best({})), csv_);
  EXPECT_EQ(hash_of_results(store), hash_);
  EXPECT_EQ(store.best({}).at(0).confirmed_environment, test::environment());
  EXPECT_EQ(count("SELECT count(*) FROM pragma_foreign_key_check"), 0);
  EXPECT_EQ(count("SELECT count(*) FROM environment"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM sqlite_schema WHERE name = 'trial_known_wrong'"), 1);
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

TEST_F(Version5, ResultsUnderALimitStandBesideOlderOnes) {
  Store store(file_);
  measure_at_400_w(store);
  ASSERT_EQ(store.best({}).size(), 2U);
  EXPECT_EQ(store.best({}).at(0).environment.power_limit_w, 400);
  BestRow older = store.best({}).at(1);
  EXPECT_TRUE(older.superseded);
  EXPECT_EQ(export_csv({older}), csv_);
}

}  // namespace
}  // namespace tilewright
