#include "db/store/store.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "db/tables/sqlite.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::environment;
using test::failed;
using test::finished;
using test::measured;
using test::sweep_key;

class StoreTest : public ::testing::Test {
 protected:
  test::Folder folder_;
  std::filesystem::path file_ = folder_ / "new/folders/s.db";
  Store store_{file_};
};

TEST_F(StoreTest, TrialsComeBackAsTheyWereInTheirOrder) {
  const SweepRecord sweep = store_.begin_sweep(sweep_key(), environment(), Store::Start::resume);
  std::vector<Trial> trials = {failed(64, Outcome::pruned), measured(8, 1.0 / 3),
                               measured(8, 0.1, Stage::final),
                               measured(8, 7, Stage::screen, "gemm/naive")};
  for (std::size_t i = 1; i < kOutcomeNames.size(); ++i)
    if (static_cast<Outcome>(i) != Outcome::pruned)
      trials.push_back(failed(100 + static_cast<std::int64_t>(i), static_cast<Outcome>(i)));
  for (const Trial& trial : trials) store_.add_trial(sweep.id, trial);
  EXPECT_EQ(store_.trials(sweep.id), trials);
  EXPECT_EQ(Store(file_, Store::Mode::read_only).trials(sweep.id), trials);
}

TEST_F(StoreTest, AWrongAnswerMayBeInfiniteOrNotANumber) {
  const SweepRecord sweep = store_.begin_sweep(sweep_key(), environment(), Store::Start::resume);
  Trial trial = failed(8, Outcome::wrong_answer);
  trial.verification = Verification{1, 1, std::nan(""), HUGE_VAL, 3};
  store_.add_trial(sweep.id, trial);
  const auto back = store_.trials(sweep.id).at(0).verification;
  ASSERT_TRUE(back);
  EXPECT_TRUE(std::isnan(back->worst_error));
  EXPECT_EQ(back->worst_ratio, HUGE_VAL);
}

TEST_F(StoreTest, TheFirstTrialOfAConfigurationAndStageStands) {
  const SweepRecord sweep = store_.begin_sweep(sweep_key(), environment(), Store::Start::resume);
  store_.add_trial(sweep.id, measured(8, 5));
  store_.add_trial(sweep.id, measured(8, 4));
  EXPECT_EQ(store_.trials(sweep.id), std::vector<Trial>{measured(8, 5)});
}

TEST_F(StoreTest, ManyTrialsAreAddedAllOrNone) {
  const SweepRecord sweep = store_.begin_sweep(sweep_key(), environment(), Store::Start::resume);
  std::vector<Trial> trials;
  for (std::int64_t i = 1; i <= 5000; ++i) trials.push_back(failed(i, Outcome::pruned));
  store_.add_trials(sweep.id, trials);
  EXPECT_EQ(store_.trials(sweep.id), trials);
  EXPECT_THROW(store_.add_trials(
                   sweep.id, {measured(8000, 1), measured(8001, 1, Stage::screen, "gemm/other")}),
               std::logic_error);
  EXPECT_EQ(store_.trials(sweep.id).size(), trials.size());
}

TEST_F(StoreTest, UnfinishedSweepIsResumedAndAFinishedOneFound) {
  const auto first = store_.begin_sweep(sweep_key(), environment(), Store::Start::resume);
  EXPECT_FALSE(store_.finished_sweep(sweep_key()));
  EXPECT_EQ(store_.begin_sweep(sweep_key(), environment(), Store::Start::resume).uuid, first.uuid);
  const auto other = store_.begin_sweep(sweep_key(512), environment(), Store::Start::resume);
  EXPECT_NE(other.uuid, first.uuid);
  const auto fresh = store_.begin_sweep(sweep_key(), environment(), Store::Start::fresh);
  EXPECT_NE(fresh.uuid, first.uuid);
  EXPECT_EQ(store_.begin_sweep(sweep_key(), environment(), Store::Start::resume).uuid, fresh.uuid);

  store_.finish_sweep(fresh.id, "{}");
  const auto found = store_.finished_sweep(sweep_key());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->uuid, fresh.uuid);
  EXPECT_EQ(found->report, "{}");
  EXPECT_GE(found->finished, found->started);
  EXPECT_EQ(found->environment, environment());
  EXPECT_EQ(found->key.implementations, sweep_key().implementations);
  EXPECT_EQ(found->key.problem, sweep_key().problem);
  EXPECT_EQ(found->key.device, sweep_key().device);
  EXPECT_FALSE(store_.finished_sweep(sweep_key(512)));
}

// Ended before its time: the request itself stays open.
TEST_F(StoreTest, ASweepCanFinishAsALesserOne) {
  const auto sweep = store_.begin_sweep(sweep_key(), environment(), Store::Start::resume);
  store_.add_trials(sweep.id, {measured(8, 1), measured(8, 1, Stage::final)});
  SweepKey lesser = sweep_key();
  lesser.strategy += " time_limit_s=7";
  store_.finish_sweep(sweep.id, "{}", lesser);
  EXPECT_FALSE(store_.finished_sweep(sweep_key()));
  EXPECT_EQ(store_.finished_sweep(lesser).value().uuid, sweep.uuid);
  EXPECT_EQ(store_.best({}).size(), 1U);
  // Its rigour is that of a time limit.
  const auto whole = finished(store_, sweep_key(), {measured(16, 9)});
  EXPECT_EQ(store_.best({}).at(0).sweep_uuid, whole.uuid);
}

TEST_F(StoreTest, ASweepOfAnotherEnvironmentIsNotResumed) {
  const auto first = store_.begin_sweep(sweep_key(), environment(), Store::Start::resume);
  Environment newer = environment();
  newer.driver = "600.1";
  EXPECT_NE(store_.begin_sweep(sweep_key(), newer, Store::Start::resume).uuid, first.uuid);
}

TEST_F(StoreTest, LargeSeedsSurvive) {
  SweepKey key = sweep_key();
  key.seed = UINT64_MAX;
  const auto sweep = store_.begin_sweep(key, environment(), Store::Start::fresh);
  store_.finish_sweep(sweep.id, "");
  EXPECT_EQ(store_.finished_sweep(key).value().key.seed, UINT64_MAX);
}

TEST_F(StoreTest, MisuseIsALogicError) {
  const auto sweep = store_.begin_sweep(sweep_key(), environment(), Store::Start::fresh);
  EXPECT_THROW(store_.add_trial(sweep.id, measured(8, 1, Stage::screen, "gemm/other")),
               std::logic_error);
  EXPECT_THROW(store_.add_trial(sweep.id + 1, measured(8, 1)), std::logic_error);
  store_.finish_sweep(sweep.id, "");
  EXPECT_THROW(store_.add_trial(sweep.id, measured(8, 1)), std::logic_error);
  EXPECT_THROW(store_.finish_sweep(sweep.id, ""), std::logic_error);
  EXPECT_TRUE(store_.trials(sweep.id).empty());
}

TEST_F(StoreTest, QueriesFilterByEachField) {
  finished(store_, sweep_key(512), {measured(8, 1)});
  SweepKey cold = sweep_key(1024);
  cold.policy.cache = CachePolicy::cold;
  finished(store_, cold, {measured(8, 2), measured(16, 3, Stage::screen, "gemm/naive")});

  const auto count = [this](const Query& query) {
    return std::pair(store_.sweeps(query).size(), store_.best(query).size());
  };
  using Counts = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(count({}), Counts(2, 3));
  EXPECT_EQ(count({.operation = "gemm"}), Counts(2, 3));
  EXPECT_EQ(count({.operation = "conv1d"}), Counts(0, 0));
  EXPECT_EQ(count({.implementation = "gemm/naive"}), Counts(2, 1));
  EXPECT_EQ(count({.implementation = "gemm/other"}), Counts(0, 0));
  EXPECT_EQ(count({.problem = test::cube(512)}), Counts(1, 1));
  EXPECT_EQ(count({.problem = test::cube(7)}), Counts(0, 0));
  EXPECT_EQ(count({.policy = Policy{CachePolicy::cold}}), Counts(1, 2));
  EXPECT_EQ(count({.device = test::h200()}), Counts(2, 3));
  EXPECT_EQ(count({.device = Device{}}), Counts(0, 0));
}

TEST_F(StoreTest, TheNewestSweepsComeFirstAndAreCountedWithoutTheOthers) {
  std::vector<std::string> uuids;
  for (const std::int64_t size : {64, 128, 256})
    uuids.push_back(finished(store_, sweep_key(size), {measured(8, 10)}).uuid);
  const auto newest = [&](const std::vector<Query>& queries, std::size_t most) {
    std::vector<std::string> found;
    for (const SweepRecord& sweep : store_.newest_sweeps(queries, most))
      found.push_back(sweep.uuid);
    return found;
  };
  const std::size_t all = static_cast<std::size_t>(-1);
  const Query any;
  const Query first{.uuid = uuids[0].substr(0, 30)};
  const Query tiled{.implementation = "gemm/tiled"};
  const Query unknown{.problem = sweep_key(4096).problem};
  EXPECT_EQ(newest({any}, 2), (std::vector{uuids[2], uuids[1]}));
  EXPECT_EQ(newest({any}, all), (std::vector{uuids[2], uuids[1], uuids[0]}));
  EXPECT_EQ(newest({first}, all), std::vector{uuids[0]});
  EXPECT_EQ(newest({tiled}, 1), std::vector{uuids[2]});
  EXPECT_EQ(newest({first, unknown, first}, all), std::vector{uuids[0]});
  EXPECT_EQ(newest({first, tiled}, all).size(), 3U) << "each of them once";
  EXPECT_EQ(newest(std::vector(1000, first), all), std::vector{uuids[0]});
  EXPECT_EQ(newest({}, all).size(), 0U);
  EXPECT_EQ(store_.count_sweeps({any}), 3U);
  EXPECT_EQ(store_.count_sweeps({first, tiled}), 3U);
  EXPECT_EQ(store_.count_sweeps({{.operation = "conv1d"}, unknown}), 0U);
  EXPECT_EQ(store_.count_sweeps({}), 0U);
  EXPECT_EQ(store_.operations(), std::set<std::string>{"gemm"});
}

TEST_F(StoreTest, TrialsCannotBeChangedEvenByHand) {
  finished(store_, sweep_key(), {measured(8, 1)});
  Database database(file_, Database::Mode::read_write, std::chrono::milliseconds(20));
  EXPECT_THROW(database.execute("UPDATE trial SET median_us = 0.1"), MachineError);
}

TEST_F(StoreTest, MovesLikeAValue) {
  Store moved = std::move(store_);
  EXPECT_TRUE(moved.sweeps({}).empty());
}

}  // namespace
}  // namespace tilewright
