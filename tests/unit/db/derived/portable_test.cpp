#include "db/derived/derive.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "db/store/migrations.hpp"
#include "db/tables/sqlite.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::cube;
using test::failed;
using test::finished;
using test::h200;
using test::measured;
using test::sweep_key;
using test::tile;

class Portable : public ::testing::Test {
 protected:
  // tile 16 is never the best and never bad; 8 and 64 are the best in turn; 32 is the default.
  void fill() {
    for (const std::int64_t size : {64, 128, 256, 512}) {
      const bool is_small = size < 200;
      finished(store_, sweep_key(size),
               {measured(8, is_small ? 10 : 40), measured(16, 11), measured(32, 20),
                measured(64, is_small ? 40 : 10)});
    }
  }

  std::vector<Configuration> order(const std::vector<PortableRow>& rows) const {
    std::vector<Configuration> configurations;
    for (const PortableRow& row : rows) configurations.push_back(row.configuration);
    return configurations;
  }

  test::Folder folder_;
  Store store_{folder_ / "p.db"};
};

TEST_F(Portable, TheLeastGeometricMeanIsFirst) {
  fill();
  const auto rows = store_.portable("gemm", DeviceKind::cuda);
  ASSERT_EQ(order(rows), (std::vector{tile(16), tile(32), tile(64), tile(8)}));
  EXPECT_NEAR(rows[0].mean_ratio, 1.1, 1e-9);
  EXPECT_NEAR(rows[1].mean_ratio, 2.0, 1e-9);
  EXPECT_NEAR(rows[2].mean_ratio, 2.0, 1e-9);  // 4 in two of four
  EXPECT_EQ(rows[0].measured, 4U);
  EXPECT_EQ(rows[0].tuned, 4U);
  EXPECT_EQ(rows[0].implementation, "gemm/tiled");
  EXPECT_EQ(rows[0].device, h200());
  EXPECT_EQ(rows[0].shared_bytes, 8192);
  EXPECT_TRUE(store_.portable("gemm", DeviceKind::host).empty());
  EXPECT_TRUE(store_.portable("conv1d", DeviceKind::cuda).empty());
}

TEST_F(Portable, FewTunedProblemsSayNothing) {
  finished(store_, sweep_key(64), {measured(8, 10)});
  finished(store_, sweep_key(128), {measured(8, 10)});
  EXPECT_TRUE(store_.portable("gemm", DeviceKind::cuda).empty());
  finished(store_, sweep_key(256), {measured(8, 10)});
  EXPECT_EQ(store_.portable("gemm", DeviceKind::cuda).size(), 1U);
}

TEST_F(Portable, WhatWasNotMeasuredCountsAsTheDefault) {
  for (const std::int64_t size : {64, 128, 256})
    finished(store_, sweep_key(size),
             {measured(8, 10), measured(32, 20), measured(size, size == 64 ? 9.0 : 50.0)});
  const auto rows = store_.portable("gemm", DeviceKind::cuda);
  ASSERT_EQ(order(rows).front(), tile(8));
  for (const PortableRow& row : rows)
    if (row.configuration == tile(64)) {
      EXPECT_EQ(row.measured, 1U);
      EXPECT_NEAR(row.mean_ratio, std::cbrt(1.0 * 2.0 * 2.0), 1e-9);
    }
}

TEST_F(Portable, LeavingOneOutTakesItForUnknown) {
  fill();
  const LossTable losses = store_.losses("gemm", h200());
  ASSERT_EQ(losses.problems.size(), 4U);
  const Problem left_out = cube(64);
  const auto ranking = rank_portable(losses, &left_out);
  for (const RankedConfiguration& ranked : ranking) {
    EXPECT_EQ(ranked.measured, 3U);
    if (losses.configurations[ranked.configuration].configuration != R"({"TILE_WIDTH":64})")
      continue;
    EXPECT_NEAR(ranked.mean_ratio, std::cbrt(4.0), 1e-9);
  }
  const Problem two = cube(128);
  EXPECT_EQ(rank_portable(losses, &two).size(), 4U);
}

TEST_F(Portable, TimesAreHeldAgainstTheWinnerOfTheSameStageAndSweep) {
  SweepKey filtered = sweep_key(64);
  filtered.where = "TILE_WIDTH > 0";
  // A slower day: the same ratio.
  finished(store_, filtered, {measured(8, 30), measured(16, 60)});
  finished(store_, sweep_key(64),
           {measured(8, 12), measured(32, 18), measured(8, 10, Stage::final), measured(64, 14),
            failed(64, Outcome::wrong_answer, Stage::final)});
  const LossTable losses = store_.losses("gemm", h200());
  ASSERT_EQ(losses.problems.size(), 1U);
  EXPECT_EQ(losses.problems[0].best_us, 10);
  const auto ratio = [&](std::int64_t width) {
    for (std::size_t i = 0; i < losses.configurations.size(); ++i)
      if (losses.configurations[i].configuration == canonical_json(tile(width).values))
        return losses.times[i].empty() ? 0 : losses.times[i].front().ratio;
    return -1.0;
  };
  EXPECT_NEAR(ratio(8), 1, 1e-9);
  EXPECT_NEAR(ratio(16), 2, 1e-9);
  EXPECT_NEAR(ratio(32), 1.5, 1e-9);
  EXPECT_EQ(ratio(64), 0) << "wrong in the final stage";
}

TEST_F(Portable, OfColdAndWarmTimesTheWorseRatioCounts) {
  const auto both = [](std::int64_t width, double cold_us, double warm_us) {
    Trial trial = measured(width, cold_us, Stage::final);
    trial.warm_timing = measured(width, warm_us).timing;
    return trial;
  };
  finished(store_, sweep_key(64), {both(8, 10, 10), both(16, 11, 15)});
  const LossTable losses = store_.losses("gemm", h200());
  ASSERT_EQ(losses.times.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const bool is_winner = i == losses.problems[0].winner;
    EXPECT_NEAR(losses.times[i].front().ratio, is_winner ? 1 : 1.5, 1e-9);
  }
}

TEST_F(Portable, FollowsImportsAndCanBeWorkedOutAgain) {
  fill();
  const auto rows = store_.portable("gemm", DeviceKind::cuda);
  Store other(folder_ / "other.db");
  std::vector<Store::Imported> sweeps;
  for (const SweepRecord& sweep : store_.sweeps({}))
    sweeps.push_back({sweep, store_.trials(sweep.id)});
  other.import_sweeps(sweeps);
  EXPECT_EQ(order(other.portable("gemm", DeviceKind::cuda)), order(rows));
  store_.rebuild_best();
  EXPECT_EQ(order(store_.portable("gemm", DeviceKind::cuda)), order(rows));
}

TEST_F(Portable, ADatabaseOfVersion2GetsItsRows) {
  fill();
  const std::filesystem::path file = folder_ / "p.db";
  {
    Database database(file, Database::Mode::read_write, std::chrono::milliseconds(50));
    database.trust_schema();
    database.execute(
        "DROP TABLE portable; DROP TABLE store; DROP TABLE claim; "
        "DROP INDEX trial_known_wrong; ALTER TABLE sweep DROP COLUMN store; "
        "ALTER TABLE confirmation DROP COLUMN source_hash; CREATE TABLE blocked (one); "
        "PRAGMA user_version = 2");
    std::vector<std::string> added;
    Statement select(
        database,
        "SELECT name FROM pragma_table_info('trial') WHERE name LIKE 'warm_%' OR name "
        "IN ('ended_s', 'cache', 'power_w', 'energy_mj', 'temperature_c', 'throttle_reasons')");
    while (select.step()) added.push_back(select.text(0));
    for (const std::string& column : added)
      database.execute("ALTER TABLE trial DROP COLUMN " + column);
  }
  EXPECT_THROW(Store(file, Store::Mode::read_only), MachineError);
  Store migrated(file);
  EXPECT_EQ(order(migrated.portable("gemm", DeviceKind::cuda)),
            (std::vector{tile(16), tile(32), tile(64), tile(8)}));
  EXPECT_EQ(Database(file, Database::Mode::read_write, std::chrono::milliseconds(50))
                .integer("PRAGMA user_version"),
            schema_plan().version);
}

TEST_F(Portable, ANewerEpochHidesTheOlder) {
  fill();
  SweepKey newer = sweep_key(1024);
  newer.implementations[1].epoch = 2;
  finished(store_, newer, {measured(8, 10)});
  EXPECT_TRUE(store_.portable("gemm", DeviceKind::cuda).empty()) << "one problem of the new epoch";
}

}  // namespace
}  // namespace tilewright
