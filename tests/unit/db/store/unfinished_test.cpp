#include <gtest/gtest.h>

#include "db/exchange/exchange.hpp"
#include "db/store/store.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::environment;
using test::failed;
using test::measured;
using test::sweep_key;
using Start = Store::Start;
using Result = Store::ImportResult;

// Sweeps that were not finished: imported, tried again.
class Unfinished : public ::testing::Test {
 protected:
  // What a store that failed leaves behind, read back.
  Store::Imported rescued(const std::vector<Trial>& trials) {
    Store elsewhere(folder_ / "elsewhere.db");
    const SweepRecord sweep = elsewhere.begin_sweep(sweep_key(), environment(), Start::fresh);
    return import_json(export_json({{sweep, trials}}), "rescue.json").at(0);
  }
  SweepRecord only_sweep() {
    const auto sweeps = store_.sweeps({});
    EXPECT_EQ(sweeps.size(), 1U);
    return sweeps.at(0);
  }
  std::vector<Trial> only_trials() { return store_.trials(only_sweep().id); }

  test::Folder folder_;
  Store store_{folder_ / "s.db"};
  const Trial a_ = measured(8, 10);
  const Trial b_ = measured(16, 11);
  const Trial c_ = failed(32, Outcome::faulted);
};

TEST_F(Unfinished, AnImportedOneIsKeptAndAnswersNothing) {
  const auto sweep = rescued({a_, c_});
  EXPECT_EQ(sweep.sweep.finished, 0);
  EXPECT_EQ(store_.import_sweeps({sweep}), (Result{1, 0}));
  EXPECT_EQ(only_trials(), (std::vector<Trial>{a_, c_}));
  EXPECT_TRUE(only_sweep().imported);
  EXPECT_TRUE(store_.best({}).empty());
  EXPECT_FALSE(store_.finished_sweep(sweep_key()));
  EXPECT_EQ(store_.import_sweeps({sweep}), (Result{0, 0}));
  EXPECT_EQ(only_trials().size(), 2U);
}

TEST_F(Unfinished, OneThatIsNotFinishedHereGetsWhatItLacks) {
  auto sweep = rescued({a_});
  store_.import_sweeps({sweep});
  sweep.trials = {a_, b_, c_};
  EXPECT_EQ(store_.import_sweeps({sweep}), (Result{0, 1}));
  EXPECT_EQ(only_trials(), (std::vector<Trial>{a_, b_, c_}));
  EXPECT_EQ(store_.import_sweeps({sweep}), (Result{0, 0}));
}

TEST_F(Unfinished, TheOrderOfFilesDoesNotMatter) {
  const auto part = rescued({a_, c_});
  auto whole = part;
  whole.trials = {a_, c_, b_};
  whole.sweep.finished = whole.sweep.started + 5;
  whole.sweep.report = "{}";
  Store other(folder_ / "other.db");
  EXPECT_EQ(store_.import_sweeps({part}), (Result{1, 0}));
  EXPECT_EQ(store_.import_sweeps({whole}), (Result{0, 1}));
  EXPECT_EQ(other.import_sweeps({whole}), (Result{1, 0}));
  EXPECT_EQ(other.import_sweeps({part}), (Result{0, 0}));
  EXPECT_EQ(export_json(store_, {}), export_json(other, {}));
  EXPECT_EQ(export_csv(store_.best({})), export_csv(other.best({})));
  EXPECT_EQ(store_.best({}).size(), 1U);
}

TEST_F(Unfinished, TheRestOfOneThatEndedEarlyMakesItTheSame) {
  const auto part = rescued({a_});
  auto whole = part;
  whole.trials = {a_, b_};
  whole.sweep.finished = whole.sweep.started + 5;
  whole.sweep.report = "{}";
  whole.sweep.key.strategy += " time_limit_s=7";
  Store other(folder_ / "other.db");
  store_.import_sweeps({part});
  EXPECT_EQ(store_.import_sweeps({whole}), (Result{0, 1}));
  other.import_sweeps({whole});
  EXPECT_EQ(export_json(store_, {}), export_json(other, {}));
}

TEST_F(Unfinished, AnOldCopyOfOurOwnThatEndedEarlyIsACopy) {
  const SweepRecord own = store_.begin_sweep(sweep_key(), environment(), Start::fresh);
  store_.add_trials(own.id, {a_});
  const auto copy = import_json(export_json({{own, {a_}}}), "copy.json");
  SweepKey lesser = sweep_key();
  lesser.strategy += " time_limit_s=7";
  store_.finish_sweep(own.id, "{}", lesser);
  EXPECT_EQ(store_.import_sweeps(copy), (Result{0, 0}));
}

TEST_F(Unfinished, AForeignTrialIsRefusedAndNothingIsWritten) {
  auto sweep = rescued({a_});
  store_.import_sweeps({sweep});
  sweep.trials = {b_, measured(8, 1, Stage::screen, "gemm/other")};
  EXPECT_THROW(store_.import_sweeps({sweep}), InputError);
  EXPECT_EQ(only_trials(), std::vector<Trial>{a_});
}

class Retry : public Unfinished {
 protected:
  std::vector<Trial> retried() {
    const auto record = store_.begin_sweep(sweep_key(), environment(), Start::retry);
    EXPECT_EQ(record.finished, 0);
    return store_.trials(record.id);
  }
  const std::vector<Trial> all_{failed(64, Outcome::pruned),
                                failed(1, Outcome::faulted),
                                a_,
                                failed(2, Outcome::timed_out),
                                failed(3, Outcome::compile_timed_out),
                                failed(4, Outcome::compile_failed),
                                failed(5, Outcome::wrong_answer),
                                measured(8, 9, Stage::final),
                                failed(16, Outcome::faulted, Stage::final),
                                failed(6, Outcome::machine_failed)};
  const std::vector<Trial> kept_{all_[0], all_[2], all_[5], all_[6]};
};

TEST_F(Retry, TakesOverWhatEndedByItself) {
  test::finished(store_, sweep_key(), all_);
  EXPECT_EQ(retried(), kept_);
  EXPECT_EQ(store_.trials(store_.sweeps({}).at(0).id), all_);  // as it was
}

TEST_F(Retry, OfAnUnfinishedSweepTooAndTheNewestCounts) {
  test::finished(store_, sweep_key(), {b_});
  const auto open = store_.begin_sweep(sweep_key(), environment(), Start::fresh);
  store_.add_trials(open.id, all_);
  EXPECT_EQ(retried(), kept_);
  EXPECT_EQ(retried(), kept_);  // of the one before
}

TEST_F(Retry, WithoutASweepOfThisRequestAndEnvironmentOneStartsEmpty) {
  Environment older = environment();
  older.driver = "500.1";
  const auto other = store_.begin_sweep(sweep_key(), older, Start::fresh);
  store_.add_trials(other.id, all_);
  test::finished(store_, sweep_key(512), all_);
  EXPECT_TRUE(retried().empty());
}

TEST_F(Retry, GoesOnAfterAnInterrupt) {
  test::finished(store_, sweep_key(), all_);
  const auto retry = store_.begin_sweep(sweep_key(), environment(), Start::retry);
  EXPECT_EQ(store_.begin_sweep(sweep_key(), environment(), Start::resume).uuid, retry.uuid);
}

// What may be the machine's fault is not final.
class OfMachine : public Unfinished {};

TEST_F(OfMachine, AnUnfinishedSweepTriesItAgain) {
  const auto sweep = store_.begin_sweep(sweep_key(), environment(), Start::resume);
  std::vector<Trial> trials = {a_, c_};
  for (const Outcome outcome : kMaybeOfMachine)
    trials.push_back(failed(static_cast<int>(outcome), outcome));
  trials.push_back(failed(16, Outcome::timed_out, Stage::final));  // the final is whole
  store_.add_trials(sweep.id, trials);
  EXPECT_EQ(store_.begin_sweep(sweep_key(), environment(), Start::resume).uuid, sweep.uuid);
  EXPECT_EQ(only_trials(), (std::vector<Trial>{a_, c_, trials.back()}));
}

TEST_F(OfMachine, AFinishedSweepIsRepeatedUntilItHappensTwice) {
  for (const Outcome outcome : kMaybeOfMachine) {
    SCOPED_TRACE(to_text(outcome));
    SweepKey key = sweep_key();
    key.seed = 100 + static_cast<std::uint64_t>(outcome);  // one sweep for each
    const auto is_finished = [&] { return store_.finished_sweep(key).has_value(); };
    test::finished(store_, key, {a_, failed(2, outcome)});
    EXPECT_FALSE(is_finished());
    test::finished(store_, key, {a_, failed(2, outcome), failed(3, outcome)});
    EXPECT_FALSE(is_finished()) << "3 failed for the first time";
    test::finished(store_, key, {a_, failed(2, outcome), failed(3, outcome)});
    EXPECT_TRUE(is_finished());
    EXPECT_FALSE(store_.begin_unless_finished(key, environment()));
  }
}

TEST_F(OfMachine, OtherFailuresAreFinal) {
  test::finished(store_, sweep_key(),
                 {a_, failed(2, Outcome::compile_failed), failed(3, Outcome::faulted),
                  failed(4, Outcome::launch_failed), failed(5, Outcome::wrong_answer)});
  EXPECT_TRUE(store_.finished_sweep(sweep_key()));
}

TEST_F(Unfinished, HasAnswersSoFar) {
  SweepKey key = sweep_key();
  const auto sweep = store_.begin_sweep(key, environment(), Start::fresh);
  const auto so_far = [&] { return store_.unfinished({"gemm", {}, key.problem, key.device, {}}); };
  EXPECT_TRUE(so_far().empty());
  store_.add_trials(sweep.id,
                    {measured(32, 20), measured(8, 10), failed(4, Outcome::faulted),
                     failed(2, Outcome::pruned), measured(16, 30, Stage::screen, "gemm/naive")});
  const auto rows = so_far();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].configuration, test::tile(8));
  EXPECT_EQ(rows[1].default_median_us, 20);
  EXPECT_EQ(rows[1].finished, sweep.started);
  EXPECT_EQ(rows[1].unfinished, (Progress{4, 100}));
  EXPECT_TRUE(store_.unfinished({"gemm", {}, test::cube(512), key.device, {}}).empty());
  store_.finish_sweep(sweep.id, "{}");
  EXPECT_TRUE(so_far().empty());
}

TEST_F(Unfinished, OfAWholeSpaceTheTotalIsWhatIsLegal) {
  SweepKey key = sweep_key();
  key.budget = 0;
  const auto sweep = store_.begin_sweep(key, environment(), Start::fresh);
  store_.add_trials(sweep.id, {measured(8, 10)});
  EXPECT_EQ(store_.unfinished({}).at(0).unfinished, (Progress{1, 0}));
  store_.note_candidates(sweep.id, 512);
  EXPECT_EQ(store_.unfinished({}).at(0).unfinished, (Progress{1, 512}));
  store_.finish_sweep(sweep.id, "{}");
  store_.note_candidates(sweep.id, 7);
  EXPECT_EQ(store_.sweeps({}).at(0).report, "{}");
}

}  // namespace
}  // namespace tilewright
