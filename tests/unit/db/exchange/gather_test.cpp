// Sweeps of a job: measured elsewhere, for this database.
#include <gtest/gtest.h>

#include "db/store/store.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

const std::string kJob(32, 'a');

class Gather : public ::testing::Test {
 protected:
  // As a member of a job gives it.
  Store::Imported measured(std::int64_t size, const std::string& database) const {
    Store store(folder_ / database);
    test::finished(store, test::sweep_key(size), {test::measured(16, 20)});
    const SweepRecord sweep = store.sweeps({}).back();
    return with_job(sweep, store.trials(sweep.id));
  }
  static Store::Imported with_job(SweepRecord sweep, std::vector<Trial> trials) {
    sweep.store = kJob;
    return {std::move(sweep), std::move(trials)};
  }

  const test::Folder folder_;
};

TEST_F(Gather, MakesThemOurOwnOnceInAnyOrder) {
  const std::vector<Store::Imported> sweeps = {measured(512, "a.db"), measured(1024, "b.db")};
  Store store(folder_ / "best.db");
  test::finished(store, test::sweep_key(64), {test::measured(16, 3)});
  const std::string id = store.id();
  EXPECT_EQ(store.gather_sweeps({sweeps[1]}, kJob), (Store::ImportResult{1, 0}));
  EXPECT_EQ(store.gather_sweeps(sweeps, kJob), (Store::ImportResult{1, 0}));
  EXPECT_EQ(store.gather_sweeps(sweeps, kJob), (Store::ImportResult{0, 0}));
  EXPECT_EQ(store.id(), id);
  EXPECT_EQ(store.best({}).size(), 3U);
  for (const std::int64_t size : {512, 1024}) {
    const auto found = store.finished_sweep(test::sweep_key(size));
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->imported);
    EXPECT_EQ(found->store, kJob);
  }
}

TEST_F(Gather, KeptTrialsAreContinued) {
  Store first(folder_ / "first.db");
  const SweepRecord open =
      first.begin_sweep(test::sweep_key(512), test::environment(), Store::Start::resume);
  first.add_trial(open.id, test::measured(8, 3));
  Store second(folder_ / "second.db");
  second.gather_sweeps({with_job(open, first.trials(open.id))}, kJob);
  const SweepRecord resumed =
      second.begin_sweep(test::sweep_key(512), test::environment(), Store::Start::resume);
  EXPECT_EQ(resumed.uuid, open.uuid);
  EXPECT_EQ(second.trials(resumed.id).size(), 1U);
  // The same file again, when there are more.
  second.add_trial(resumed.id, test::measured(16, 2));
  EXPECT_EQ(second.gather_sweeps({with_job(open, first.trials(open.id))}, kJob),
            (Store::ImportResult{0, 0}));
  EXPECT_EQ(second.trials(resumed.id).size(), 2U);
}

TEST_F(Gather, RefusesSweepsOfAnotherJobAndWhatWasImported) {
  const Store::Imported sweep = measured(512, "a.db");
  Store store(folder_ / "best.db");
  EXPECT_THROW(store.gather_sweeps({sweep}, std::string(32, 'b')), InputError);
  EXPECT_TRUE(store.sweeps({}).empty());
  store.import_sweeps({sweep});
  EXPECT_THROW(store.gather_sweeps({sweep}, kJob), InputError);
  EXPECT_TRUE(store.sweeps({}).front().imported);
}

}  // namespace
}  // namespace tilewright
