#include <gtest/gtest.h>

#include "db/exchange/exchange.hpp"
#include "db/tables/sqlite.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::measured;
using test::sweep_key;

// A database of version 3 with a finished sweep of ours, an unfinished one, and an imported one.
class Version3 : public ::testing::Test {
 protected:
  void SetUp() override {
    {
      Store elsewhere(folder_ / "elsewhere.db");
      test::finished(elsewhere, sweep_key(256), {measured(8, 1)});
      Store store(folder_ / "new.db");
      test::finished(store, sweep_key(), {measured(8, 10), measured(8, 11, Stage::final)});
      const auto open = store.begin_sweep(sweep_key(512), test::environment(), Store::Start::fresh);
      store.add_trial(open.id, measured(16, 5));
      store.import_sweeps(import_json(export_json(elsewhere, {}), "x"));
      csv_ = export_csv(store.best({}));
    }
    Database database(file_, Database::Mode::read_write, std::chrono::milliseconds(50));
    database.execute(
        test::read_file(TILEWRIGHT_SOURCE_DIR "/tests/unit/db/store/schema_version_3.sql"));
    database.execute("PRAGMA application_id = 1415005268; PRAGMA user_version = 3");
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

TEST_F(Version3, IsReadWithoutBeingWritten) {
  const std::string bytes = test::read_file(file_);
  std::string json;
  {
    const Store store(file_, Store::Mode::read_only);
    EXPECT_EQ(store.id(), "");
    EXPECT_EQ(export_csv(store.best({})), csv_);
    ASSERT_EQ(store.sweeps({}).size(), 3U);
    EXPECT_EQ(store.trials(1).at(0), measured(8, 10));
    EXPECT_TRUE(store.finished_sweep(sweep_key()).has_value());
    EXPECT_FALSE(store.finished_sweep(sweep_key(256)));
    EXPECT_EQ(store.subjects("gemm", DeviceKind::cuda).rows.size(), 2U);
    EXPECT_EQ(store.losses("gemm", test::h200()).problems.size(), 2U);
    EXPECT_TRUE(store.wanted().empty());
    json = export_json(store, {});
  }
  EXPECT_FALSE(test::contains(json, "\"store\""));
  EXPECT_EQ(test::read_file(file_), bytes);
  Store other(folder_ / "other.db");  // can be imported too
  EXPECT_EQ(other.import_sweeps(import_json(json, "x")).added, 2U);
}

TEST_F(Version3, AReaderStaysRightWhileAnotherProcessMigratesTheFile) {
  const Store reader(file_, Store::Mode::read_only);
  Store writer(file_);
  EXPECT_EQ(export_csv(reader.best({})), csv_);
  EXPECT_EQ(reader.sweeps({}).size(), 3U);
  EXPECT_EQ(reader.trials(1), writer.trials(1));
}

TEST_F(Version3, GetsAnIdAndKeepsWhoMeasured) {
  Store store(file_);
  EXPECT_EQ(store.id().size(), 32U);
  EXPECT_NE(store.id(), Store(folder_ / "new.db").id());
  EXPECT_EQ(Store(file_).id(), store.id());
  for (const SweepRecord& sweep : store.sweeps({}))
    EXPECT_EQ(sweep.store, sweep.imported ? "" : store.id());
  EXPECT_EQ(export_csv(store.best({})), csv_);
  const auto resumed = store.begin_sweep(sweep_key(512), test::environment(), Store::Start::resume);
  EXPECT_EQ(store.trials(resumed.id).size(), 1U);
}

}  // namespace
}  // namespace tilewright
