#include "db/records/staleness.hpp"

#include <gtest/gtest.h>

#include "db/catalog/fingerprint.hpp"
#include "db/exchange/difference.hpp"
#include "db/exchange/exchange.hpp"
#include "db/exchange/winners.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::measured;
using test::sweep_key;

Environment limited(std::optional<int> limit_w) {
  Environment environment = test::environment();
  environment.power_limit_w = limit_w;
  return environment;
}

class PowerLimits : public ::testing::Test {
 protected:
  static void add(Store& store, std::optional<int> limit_w, const std::vector<Trial>& trials,
                  const SweepKey& key = sweep_key()) {
    const SweepRecord record = store.begin_sweep(key, limited(limit_w), Store::Start::fresh);
    store.add_trials(record.id, trials);
    store.finish_sweep(record.id, "{}");
  }
  // Of gemm/tiled: its limit, its tile, and whether it is superseded.
  using Seen = std::vector<std::tuple<std::optional<int>, Configuration, bool>>;
  static Seen seen(const std::vector<BestRow>& rows) {
    Seen all;
    for (const BestRow& row : rows)
      all.emplace_back(row.environment.power_limit_w, row.configuration, row.superseded);
    return all;
  }

  test::Folder folder_;
  Store store_{folder_ / "a.db"};
};

TEST_F(PowerLimits, ResultsUnderEachAreKeptAndTheNewestSupersedes) {
  add(store_, 700, {measured(8, 10)});
  add(store_, 400, {measured(16, 15)});
  EXPECT_EQ(seen(store_.best({})),
            (Seen{{400, test::tile(16), false}, {700, test::tile(8), true}}));
  add(store_, {}, {measured(64, 12)});
  EXPECT_EQ(seen(store_.best({})), (Seen{{std::nullopt, test::tile(64), false},
                                         {400, test::tile(16), true},
                                         {700, test::tile(8), true}}));
  add(store_, 700, {measured(32, 9)});
  EXPECT_EQ(seen(store_.best({})), (Seen{{700, test::tile(32), false},
                                         {std::nullopt, test::tile(64), true},
                                         {400, test::tile(16), true}}));
  EXPECT_EQ(store_.subjects("gemm", DeviceKind::cuda).rows.size(), 1U);
  const std::string before = export_csv(store_.best({}));
  store_.rebuild_best();
  EXPECT_EQ(export_csv(store_.best({})), before);
}

TEST_F(PowerLimits, OursHideImportedOnesOnlyUnderTheSameLimit) {
  Store theirs(folder_ / "theirs.db");
  add(theirs, 400, {measured(16, 15)});
  add(theirs, 700, {measured(32, 7)});
  store_.import_sweeps(import_json(export_json(theirs, {}), "theirs"));
  add(store_, 700, {measured(8, 10)});
  EXPECT_EQ(seen(store_.best({})),
            (Seen{{700, test::tile(8), false}, {400, test::tile(16), true}}));
}

TEST_F(PowerLimits, AMoreThoroughSweepSupersedesANewerOne) {
  add(store_, 700, {measured(8, 10), measured(8, 10, Stage::final)});
  add(store_, 400, {measured(16, 15)});
  EXPECT_EQ(seen(store_.best({})),
            (Seen{{700, test::tile(8), false}, {400, test::tile(16), true}}));
}

// It may have had the same limit.
TEST_F(PowerLimits, ASweepGivesWayToAMoreThoroughOneOfAnUnknownLimit) {
  add(store_, {}, {measured(8, 10), measured(8, 10, Stage::final)});
  add(store_, 700, {measured(16, 5)});
  EXPECT_EQ(seen(store_.best({})), (Seen{{std::nullopt, test::tile(8), false}}));
  add(store_, 700, {measured(32, 9), measured(32, 9, Stage::final)});
  EXPECT_EQ(seen(store_.best({})),
            (Seen{{700, test::tile(32), false}, {std::nullopt, test::tile(8), true}}));
}

TEST_F(PowerLimits, ASweepThatMeasuredNothingHidesNoOther) {
  add(store_, 700, {measured(8, 10)});
  add(store_, 400, {test::failed(16, Outcome::wrong_answer)});
  EXPECT_EQ(seen(store_.best({})), (Seen{{700, test::tile(8), false}}));
}

TEST_F(PowerLimits, AFinishedSweepIsFoundUnderItsLimitOrAnUnknownOne) {
  add(store_, 700, {measured(8, 10)});
  EXPECT_FALSE(store_.finished_sweep(sweep_key(), 400));
  EXPECT_TRUE(store_.begin_unless_finished(sweep_key(), limited(400)));
  EXPECT_FALSE(store_.begin_unless_finished(sweep_key(), limited(700)));
  EXPECT_FALSE(store_.begin_unless_finished(sweep_key(), limited({})));
  add(store_, {}, {measured(8, 10)});
  const auto limit_found = [&](int limit_w) {
    return store_.finished_sweep(sweep_key(), limit_w)->environment.power_limit_w;
  };
  EXPECT_EQ(limit_found(700), 700);
  EXPECT_EQ(limit_found(400), std::nullopt);
}

TEST_F(PowerLimits, AnInterruptedSweepGoesOnOnlyUnderItsLimit) {
  const auto open = store_.begin_sweep(sweep_key(), limited(700), Store::Start::resume);
  EXPECT_NE(store_.begin_sweep(sweep_key(), limited(400), Store::Start::resume).uuid, open.uuid);
  EXPECT_EQ(store_.begin_sweep(sweep_key(), limited(700), Store::Start::resume).uuid, open.uuid);
}

TEST_F(PowerLimits, TwoDatabasesAreGatheredInAnyOrder) {
  Store low(folder_ / "low.db"), one(folder_ / "one.db"), other(folder_ / "other.db");
  add(store_, 700, {measured(8, 10)});
  add(low, 400, {measured(16, 15)});
  const auto high = import_json(export_json(store_, {}), "high");
  const auto lower = import_json(export_json(low, {}), "low");
  EXPECT_EQ(lower.at(0).sweep.environment, limited(400));
  one.import_sweeps(high);
  one.import_sweeps(lower);
  other.import_sweeps(lower);
  other.import_sweeps(high);
  EXPECT_EQ(one.best({}).size(), 2U);
  EXPECT_EQ(hash_of_results(one), hash_of_results(other));
  EXPECT_EQ(export_json(one, {}), export_json(other, {}));
}

TEST_F(PowerLimits, WinnersAndCsvHaveThem) {
  add(store_, 700, {measured(8, 10)});
  const std::string plain = export_csv(store_.best({}));
  EXPECT_TRUE(test::contains(plain, "imported,power_limit_w\n")) << plain;
  EXPECT_TRUE(test::contains(plain, ",0,700\n")) << plain;
  add(store_, 400, {measured(16, 15)});
  const std::string text = export_winners(store_.best({}));
  std::vector<BestRow> rows = import_winners(text, "x");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].environment.power_limit_w, 400);
  EXPECT_TRUE(rows[1].superseded);
  EXPECT_EQ(export_winners(rows), text);
  rows[0].environment.power_limit_w = 700;
  EXPECT_TRUE(test::contains(
      test::message_of<InputError>([&] { import_winners(export_winners(rows), "x"); }),
      "two winners"));
}

TEST_F(PowerLimits, WhatHasNoneIsWrittenAsBefore) {
  add(store_, {}, {measured(8, 10)});
  for (const std::string& text :
       {export_csv(store_.best({})), export_winners(store_.best({})), export_json(store_, {})}) {
    EXPECT_FALSE(test::contains(text, "power_limit_w"));
    EXPECT_FALSE(test::contains(text, "superseded"));
  }
}

TEST_F(PowerLimits, ImpossibleOnesAreRefused) {
  add(store_, 700, {measured(8, 10)});
  std::string text = export_json(store_, {});
  const std::string good = "\"power_limit_w\": 700";
  text.replace(text.find(good), good.size(), "\"power_limit_w\": -5");
  EXPECT_TRUE(test::contains(test::message_of<InputError>([&] { import_json(text, "x"); }),
                             "'power_limit_w' is -5"));
}

TEST_F(PowerLimits, ADifferenceComparesWhatSupersedes) {
  add(store_, 700, {measured(8, 10)});
  add(store_, 400, {measured(16, 15)});
  Store other(folder_ / "b.db");
  add(other, 400, {measured(16, 15)});
  const RowDifference difference = difference_of(store_.best({}), other.best({}));
  EXPECT_EQ(difference.same, 1U);
  EXPECT_TRUE(difference.changes.empty());
  ASSERT_EQ(difference.software.size(), 1U);
  EXPECT_EQ(difference.software[0].first, (std::vector{limited(400), limited(700)}));
}

// Under another limit a time counts only beside the winner's.
TEST_F(PowerLimits, LossesDoNotDivideTimesOfDifferentLimits) {
  add(store_, 400, {measured(32, 20), measured(64, 30)});
  add(store_, 700, {measured(8, 10), measured(16, 12)});
  const auto losses = [&] {
    std::map<std::string, double> found;
    const LossTable table = store_.losses("gemm", test::h200());
    EXPECT_EQ(table.problems.size(), 1U);
    for (std::size_t i = 0; i < table.times.size(); ++i)
      for (const TimedPair& pair : table.times[i])
        found[table.configurations[i].configuration] = pair.ratio;
    return found;
  };
  EXPECT_EQ(losses().size(), 2U);
  EXPECT_DOUBLE_EQ(losses().at(canonical_json(test::tile(16).values)), 1.2);
  SweepKey smaller = sweep_key();
  smaller.budget = 3;
  add(store_, 400, {measured(8, 20), measured(32, 30)}, smaller);
  EXPECT_DOUBLE_EQ(losses().at(canonical_json(test::tile(32).values)), 1.5);
}

TEST(LimitDistance, TheSameLimitComesFirstThenAnUnknownOne) {
  EXPECT_EQ(limit_distance(700, 700), 0);
  EXPECT_EQ(limit_distance(std::nullopt, 700), 1);
  EXPECT_EQ(limit_distance(400, 700), 2);
  EXPECT_EQ(limit_distance(400, std::nullopt), 0);
}

TEST(LimitDistance, WhereLimitsDecideNothingTheSupersededOneComesLast) {
  BestRow row;
  row.environment.power_limit_w = 400;
  BestRow superseded = row;
  superseded.superseded = true;
  EXPECT_LT(limit_distance(row, std::nullopt), limit_distance(superseded, std::nullopt));
  EXPECT_LT(limit_distance(row, 700), limit_distance(superseded, 700));
  EXPECT_EQ(limit_distance(row, 400), limit_distance(superseded, 400));
}

}  // namespace
}  // namespace tilewright
