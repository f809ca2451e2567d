#include "db/derived/derive.hpp"

#include <gtest/gtest.h>

#include "db/exchange/exchange.hpp"
#include "db/tables/rows.hpp"
#include "tests/unit/db/samples.hpp"

namespace tilewright {
namespace {

using test::environment;
using test::failed;
using test::finished;
using test::measured;
using test::sweep_key;
using test::tile;

class Best : public ::testing::Test {
 protected:
  BestRow tiled() {
    const auto rows = store_.best({.implementation = "gemm/tiled"});
    EXPECT_EQ(rows.size(), 1U);
    return rows.empty() ? BestRow{} : rows.front();
  }
  double median() { return tiled().trial.timing.value_or(Timing{}).median_us; }

  // A finished sweep as another machine would have sent it.
  static Store::Imported foreign(std::vector<Trial> trials, std::int64_t moment) {
    SweepRecord record;
    record.uuid = new_uuid();
    record.key = sweep_key();
    record.environment = environment();
    record.started = moment - 1;
    record.finished = moment;
    return {record, std::move(trials)};
  }

  test::Folder folder_;
  std::filesystem::path file_ = folder_ / "b.db";
  Store store_{file_};
};

TEST_F(Best, RowHoldsTheWinnerWithItsProvenance) {
  const SweepRecord sweep =
      finished(store_, sweep_key(),
               {failed(4, Outcome::pruned), measured(32, 20), measured(8, 10), measured(16, 12),
                measured(4, 50, Stage::screen, "gemm/naive")});
  ASSERT_EQ(store_.best({}).size(), 2U);
  const BestRow row = tiled();
  EXPECT_EQ(row.implementation, "gemm/tiled");
  EXPECT_EQ(row.configuration, tile(8));
  EXPECT_EQ(row.trial, measured(8, 10));
  EXPECT_EQ(row.default_median_us, 20);
  EXPECT_EQ(row.runner_up_median_us, 12);
  EXPECT_EQ(row.measured, 3U);
  EXPECT_FALSE(row.tie);
  EXPECT_EQ(row.problem, test::cube(1024));
  EXPECT_EQ(row.device, test::h200());
  EXPECT_EQ(row.policy, Policy{});
  EXPECT_EQ(row.environment, environment());
  EXPECT_EQ(row.sweep_uuid, sweep.uuid);
  EXPECT_GT(row.finished, 0);
  EXPECT_FALSE(row.imported);
  EXPECT_EQ(row.epoch, 1);
  EXPECT_EQ(row.source_hash, "cc");
}

TEST_F(Best, UnfinishedSweepsDoNotCount) {
  const auto sweep = store_.begin_sweep(sweep_key(), environment(), Store::Start::fresh);
  store_.add_trial(sweep.id, measured(8, 10));
  EXPECT_TRUE(store_.best({}).empty());
}

TEST_F(Best, NewestOfEqualRigourEvenIfSlower) {
  finished(store_, sweep_key(), {measured(8, 10)});
  finished(store_, sweep_key(), {measured(8, 11)});
  EXPECT_EQ(median(), 11);
}

// The clock of the machine was in the year 2033 when the first sweep ran.
TEST_F(Best, NewestByTheOrderOfSweepsNotByTheClock) {
  const SweepRecord ahead = finished(store_, sweep_key(), {measured(8, 10)});
  Database(file_, Database::Mode::read_write, std::chrono::milliseconds(1000))
      .execute("UPDATE sweep SET started = 2000000000, finished = 2000000001");
  const SweepRecord later = finished(store_, sweep_key(), {measured(8, 12)});
  EXPECT_EQ(median(), 12);
  EXPECT_EQ(store_.finished_sweep(sweep_key())->uuid, later.uuid);
  const auto trials_of = [&](const SweepRecord& sweep) { return store_.trials(sweep.id); };
  EXPECT_EQ(trials_of(store_.begin_sweep(sweep_key(), environment(), Store::Start::retry)),
            trials_of(later));
  EXPECT_NE(trials_of(ahead), trials_of(later));
}

TEST_F(Best, ASmallerBudgetOrATimeLimitDoesNotReplaceAFullSweep) {
  finished(store_, sweep_key(), {measured(8, 10)});
  SweepKey small = sweep_key();
  small.budget = 1;
  finished(store_, small, {measured(8, 20)});
  EXPECT_EQ(median(), 10);
  SweepKey limited = sweep_key();
  limited.strategy = "exhaustive time_limit_s=1";
  finished(store_, limited, {measured(8, 5), measured(8, 5, Stage::final)});
  EXPECT_EQ(median(), 10);
}

TEST_F(Best, HigherRigourEvenIfOlder) {
  SweepKey filtered = sweep_key();
  filtered.where = "TILE_WIDTH > 4";
  finished(store_, filtered, {measured(8, 9), measured(8, 9, Stage::final)});
  EXPECT_EQ(median(), 9);
  finished(store_, sweep_key(), {measured(8, 10)});
  EXPECT_EQ(median(), 10);
  finished(store_, sweep_key(), {measured(8, 10), measured(8, 12, Stage::final)});
  EXPECT_EQ(median(), 12);
  finished(store_, sweep_key(), {measured(8, 8)});
  finished(store_, filtered, {measured(8, 7), measured(8, 7, Stage::final)});
  EXPECT_EQ(median(), 12);
}

TEST_F(Best, ASweepWithoutAMeasurementLeavesTheAnswer) {
  finished(store_, sweep_key(), {measured(8, 10)});
  finished(store_, sweep_key(), {failed(8, Outcome::faulted)});
  EXPECT_EQ(median(), 10);
}

TEST_F(Best, ImportedAnswersFillGapsAndNeverOutrankVerifiedOnes) {
  const auto better = foreign({measured(8, 1), measured(8, 1, Stage::final)}, 4000000000);
  store_.import_sweeps({better});
  EXPECT_EQ(median(), 1);
  EXPECT_TRUE(tiled().imported);
  finished(store_, sweep_key(), {measured(8, 10)});
  EXPECT_EQ(median(), 10);
  EXPECT_FALSE(tiled().imported);
  store_.import_sweeps({foreign(better.trials, 4000000001)});
  EXPECT_EQ(median(), 10);
}

TEST_F(Best, EvenAnUnverifiedOneOfOursIsNotReplacedByAnImportedOne) {
  Trial unverified = measured(8, 10);
  unverified.verification.reset();
  finished(store_, sweep_key(), {unverified});
  store_.import_sweeps({foreign({measured(8, 1, Stage::final)}, 4000000000)});
  EXPECT_EQ(median(), 10);
}

TEST_F(Best, OrderOfImportsDoesNotMatter) {
  const auto a = foreign({measured(8, 5)}, 1000);
  const auto b = foreign({measured(8, 6)}, 1000);  // the same second
  const auto c = foreign({measured(8, 7)}, 999);
  Store other(folder_ / "other.db");
  store_.import_sweeps({a, b, c});
  other.import_sweeps({c, b});
  other.import_sweeps({a});
  EXPECT_EQ(other.best({}).at(0).sweep_uuid, tiled().sweep_uuid);
  EXPECT_NE(median(), 7);
}

TEST_F(Best, ANewerEpochHidesTheOlder) {
  finished(store_, sweep_key(), {measured(8, 10)});
  SweepKey next = sweep_key();
  next.implementations[1].epoch = 2;
  finished(store_, next, {measured(16, 20)});
  EXPECT_EQ(median(), 20);
  EXPECT_EQ(tiled().epoch, 2);
}

TEST_F(Best, DerivedRowsAreWorkedOutAgainFromTheTrials) {
  finished(store_, sweep_key(), {measured(8, 10), measured(16, 10.01)});
  finished(store_, sweep_key(512), {measured(8, 3), measured(4, 2, Stage::screen, "gemm/naive")});
  store_.import_sweeps({foreign({measured(8, 1)}, 1000)});
  const std::string before = export_csv(store_.best({}));
  Database(file_, Database::Mode::read_write, std::chrono::milliseconds(20))
      .execute("DELETE FROM best WHERE problem = 1; UPDATE best SET trial = 1, measured = 77");
  EXPECT_NE(export_csv(store_.best({})), before);
  store_.rebuild_best();
  EXPECT_EQ(export_csv(store_.best({})), before);
}

// Two manifests, or two versions of one, whose sweeps share a database.
class Definitions : public ::testing::Test {
 protected:
  static SweepKey key_of(const std::string& source, const std::string& space,
                         std::int64_t epoch = 1) {
    SweepKey key = test::sweep_key();
    key.implementations = {{"gemm/tiled", epoch, source, space, test::tile(32)}};
    return key;
  }
  static IsPresent with_source(const std::string& hash) {
    return [hash](const BestRow& row) { return row.source_hash == hash; };
  }
  std::vector<Configuration> found(const IsPresent& is_present = {}) const {
    std::vector<Configuration> all;
    for (const BestRow& row : store_.best({}, is_present)) all.push_back(row.configuration);
    return all;
  }

  test::Folder folder_;
  Store store_{folder_ / "a.db"};
};

TEST_F(Definitions, EachKeepsItsAnswerAndTheNewestIsListed) {
  test::finished(store_, key_of("a", "s"), {test::measured(8, 10)});
  test::finished(store_, key_of("b", "s"), {test::measured(16, 20)});
  test::finished(store_, key_of("a", "s", 2), {test::measured(64, 30)});
  EXPECT_EQ(found(), (std::vector{test::tile(64)}));
  EXPECT_EQ(found(with_source("b")), (std::vector{test::tile(16)}));
  EXPECT_EQ(found(with_source("unknown")), (std::vector{test::tile(64)}));
  const auto first = [](const BestRow& row) { return row.source_hash == "a" && row.epoch == 1; };
  EXPECT_EQ(found(first), (std::vector{test::tile(8)}));
  const SubjectList subjects = store_.subjects("gemm", DeviceKind::cuda);
  ASSERT_EQ(subjects.rows.size(), 1U);
  EXPECT_EQ(store_.best_of(subjects.rows, first).at(0).configuration, test::tile(8));
  store_.rebuild_best();
  EXPECT_EQ(found(first), (std::vector{test::tile(8)}));
  EXPECT_EQ(store_.losses("gemm", test::h200()).problems.size(), 1U);
}

TEST_F(Definitions, OfOneSourceMayHaveSeveralSpaces) {
  test::finished(store_, key_of("a", "few"), {test::measured(8, 10)});
  test::finished(store_, key_of("a", "many"), {test::measured(16, 20)});
  EXPECT_EQ(found(with_source("a")), (std::vector{test::tile(16)}));
  EXPECT_EQ(found([](const BestRow& row) { return row.configuration == test::tile(8); }),
            (std::vector{test::tile(8)}));
}

TEST_F(Definitions, EachHasAnAnswerForEachPowerLimit) {
  const auto sweep = [&](const std::string& source, int limit_w, std::int64_t width) {
    Environment limited = test::environment();
    limited.power_limit_w = limit_w;
    const auto record = store_.begin_sweep(key_of(source, "s"), limited, Store::Start::fresh);
    store_.add_trial(record.id, test::measured(width, 10));
    store_.finish_sweep(record.id, "{}");
  };
  sweep("a", 400, 8);
  sweep("a", 700, 16);
  sweep("b", 400, 32);
  EXPECT_EQ(found(), (std::vector{test::tile(32)}));
  const auto rows = store_.best({}, with_source("a"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].configuration, test::tile(16));
  EXPECT_FALSE(rows[0].superseded);
  EXPECT_TRUE(rows[1].superseded);
}

}  // namespace
}  // namespace tilewright
