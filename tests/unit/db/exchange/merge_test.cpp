#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "db/exchange/exchange.hpp"
#include "db/exchange/winners.hpp"
#include "tests/unit/db/samples.hpp"

namespace tilewright {
namespace {

using Sweeps = std::vector<Store::Imported>;

Sweeps all_of(const std::filesystem::path& file) {
  const Store store(file, Store::Mode::read_only);
  Sweeps sweeps;
  for (const SweepRecord& sweep : store.sweeps({}))
    sweeps.push_back({sweep, store.trials(sweep.id)});
  return sweeps;
}

// Three machines: the second has some of the first's sweeps and one of its own for the same
// problem, the third has some of both and one that is not finished.
class Merge : public ::testing::Test {
 protected:
  Merge() {
    {
      Store store(folder_ / "a.db");
      test::finished(store, test::sweep_key(512), {test::measured(16, 20)});
      test::finished(store, test::sweep_key(1024), {test::measured(16, 30, Stage::final)});
    }
    {
      Store store(folder_ / "b.db");
      store.import_sweeps({all_of(folder_ / "a.db").front()});
      test::finished(store, test::sweep_key(512), {test::measured(32, 19)});
      const SweepRecord open =
          store.begin_sweep(test::sweep_key(64), test::environment(), Store::Start::fresh);
      store.add_trial(open.id, test::measured(8, 3));
    }
    {
      Store store(folder_ / "c.db");
      Sweeps sweeps = all_of(folder_ / "b.db");
      for (Store::Imported& imported : sweeps)
        if (imported.sweep.finished == 0) {
          imported.trials.push_back(test::measured(16, 2));
          imported.sweep.finished = imported.sweep.started + 1;
          imported.sweep.report = "{}";
        }
      store.import_sweeps(sweeps);
      test::finished(store, test::sweep_key(2048), {test::measured(16, 90)});
    }
    for (const char* name : {"a.db", "b.db", "c.db"}) sources_.push_back(all_of(folder_ / name));
  }

  const test::Folder folder_;
  std::vector<Sweeps> sources_;
};

TEST_F(Merge, AnyOrderGivesTheSame) {
  std::array<std::size_t, 3> order = {0, 1, 2};
  std::string json;
  std::string winners;
  std::string csv;
  do {
    const test::Folder into;
    Store store(into / "merged.db");
    for (const std::size_t i : order) store.import_sweeps(sources_[i]);
    if (json.empty()) {
      json = export_json(store, {});
      winners = export_winners(store.best({}));
      csv = export_csv(store.best({}));
      EXPECT_EQ(store.sweeps({}).size(), 5U);
    }
    EXPECT_EQ(export_json(store, {}), json);
    EXPECT_EQ(export_winners(store.best({})), winners);
    EXPECT_EQ(export_csv(store.best({})), csv);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(Merge, TwiceIsOnce) {
  Store store(folder_ / "merged.db");
  for (const Sweeps& sweeps : sources_) store.import_sweeps(sweeps);
  const std::string before = export_json(store, {});
  for (const Sweeps& sweeps : sources_)
    EXPECT_EQ(store.import_sweeps(sweeps), Store::ImportResult{});
  EXPECT_EQ(export_json(store, {}), before);
}

TEST_F(Merge, EverySweepStaysForeignAndNamesWhoMeasuredIt) {
  std::map<std::string, std::string> measured_by;  // database by sweep
  for (const char* name : {"a.db", "b.db", "c.db"}) {
    const std::string id = Store(folder_ / name, Store::Mode::read_only).id();
    for (const Store::Imported& one : all_of(folder_ / name)) {
      EXPECT_TRUE(one.sweep.imported || one.sweep.store == id);
      measured_by.emplace(one.sweep.uuid, one.sweep.store);
    }
  }
  Store merged(folder_ / "merged.db");
  for (const Sweeps& sweeps : sources_) merged.import_sweeps(sweeps);
  Store again(folder_ / "again.db");
  again.import_sweeps(import_json(export_json(merged, {}), "merged.json"));
  for (const Store* store : {&merged, &again})
    for (const SweepRecord& sweep : store->sweeps({})) {
      EXPECT_TRUE(sweep.imported);
      EXPECT_EQ(sweep.store, measured_by.at(sweep.uuid));
    }
}

TEST_F(Merge, WhatIsImportedDoesNotOutrankWhatWasVerifiedHere) {
  Store store(folder_ / "own.db");
  test::finished(store, test::sweep_key(512), {test::measured(8, 1000)});
  test::finished(store, test::sweep_key(1024), {test::measured(8, 1000)});
  for (const Sweeps& sweeps : sources_) store.import_sweeps(sweeps);
  for (const std::int64_t size : {512, 1024}) {  // 1024 has been imported with finals
    const std::vector<BestRow> rows = store.best({"gemm", {}, test::cube(size), {}, {}});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_FALSE(rows.front().imported) << size;
    EXPECT_EQ(rows.front().configuration, test::tile(8));
  }
}

}  // namespace
}  // namespace tilewright
