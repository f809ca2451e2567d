#include <gtest/gtest.h>

#include "db/exchange/exchange.hpp"
#include "db/store/store.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::contains;
using test::environment;
using test::measured;
using test::message_of;
using test::sweep_key;
using Start = Store::Start;
using Result = Store::ImportResult;

std::vector<Store::Imported> attack(const std::string& file) {
  return import_json(test::read_file(TILEWRIGHT_SOURCE_DIR "/tests/attack/" + file), file);
}

// What comes from elsewhere is never taken for what was measured here.
class Foreign : public ::testing::Test {
 protected:
  Store::Imported in_store(const SweepRecord& sweep) const {
    for (const SweepRecord& one : store_.sweeps({}))
      if (one.uuid == sweep.uuid) return {one, store_.trials(one.id)};
    return {};
  }
  // As an export of this store has it.
  Store::Imported exported(const SweepRecord& sweep) const {
    return import_json(export_json({in_store(sweep)}), "x").at(0);
  }
  std::string refusal(const Store::Imported& sweep) {
    return message_of<InputError>([&] { store_.import_sweeps({sweep}); });
  }
  // The store has all of it, and nothing else of that sweep.
  void expect_unchanged(const Store::Imported& before) {
    const Store::Imported now = in_store(before.sweep);
    EXPECT_EQ(export_json({now}), export_json({before}));
    EXPECT_EQ(now.sweep.imported, before.sweep.imported);
  }

  test::Folder folder_;
  Store store_{folder_ / "s.db"};
};

TEST_F(Foreign, AnUnfinishedImportIsNotContinued) {
  const auto sweeps = attack("hB.json");
  store_.import_sweeps(sweeps);
  const SweepRecord& theirs = sweeps.at(0).sweep;
  for (const Start start : {Start::resume, Start::retry}) {
    const SweepRecord ours = store_.begin_sweep(theirs.key, theirs.environment, start);
    EXPECT_NE(ours.uuid, theirs.uuid);
    EXPECT_FALSE(ours.imported);
    EXPECT_TRUE(store_.trials(ours.id).empty());
  }
  EXPECT_TRUE(in_store(theirs).sweep.imported);
}

TEST_F(Foreign, AFinishedImportDoesNotAnswerARequest) {
  for (const char* file : {"hA.json", "hC.json"}) {
    const auto sweeps = attack(file);
    store_.import_sweeps(sweeps);
    EXPECT_FALSE(store_.finished_sweep(sweeps.at(0).sweep.key)) << file;
    EXPECT_EQ(store_.best({}).size(), 1U);
    EXPECT_TRUE(store_.best({}).at(0).imported);
  }
}

TEST_F(Foreign, AnImportIsNotWhatAnApplicationWanted) {
  const auto sweeps = attack("hC.json");
  const SweepKey& key = sweeps.at(0).sweep.key;
  store_.add_wanted({{{key.problem, key.device, key.policy}, 1, 5, 1000}});
  store_.import_sweeps(sweeps);
  EXPECT_EQ(store_.wanted().size(), 1U);
}

TEST_F(Foreign, ACopyOfOurOwnSweepIsRecognised) {
  Trial latin = test::failed(64, Outcome::compile_failed);
  latin.message = "caf\xE9";
  const auto done = test::finished(store_, sweep_key(), {measured(8, 10), latin});
  const auto open = store_.begin_sweep(sweep_key(512), environment(), Start::fresh);
  store_.add_trial(open.id, measured(8, 5));
  Store::Imported early = exported(open);
  store_.add_trial(open.id, measured(16, 6));
  const auto both = {in_store(done), in_store(open)};
  EXPECT_EQ(store_.import_sweeps({exported(done), exported(open), early}), (Result{0, 0}));
  for (const Store::Imported& before : both) expect_unchanged(before);
}

TEST_F(Foreign, AFileThatDiffersFromOurRunningSweepIsRefused) {
  const auto open = store_.begin_sweep(sweep_key(), environment(), Start::fresh);
  store_.add_trial(open.id, measured(8, 10));
  const Store::Imported before = in_store(open);
  Store::Imported more = exported(open);
  more.trials.push_back(measured(16, 1));
  Store::Imported ended = exported(open);
  ended.sweep.finished = ended.sweep.started + 1;
  Store::Imported other = exported(open);
  other.sweep.key = sweep_key(512);
  for (const Store::Imported& one : {more, ended, other}) {
    const std::string sentence = refusal(one);
    EXPECT_TRUE(contains(sentence, open.uuid) && contains(sentence, "is our own") &&
                contains(sentence, "tilewright recover"))
        << sentence;
    expect_unchanged(before);
  }
  store_.add_trial(open.id, measured(16, 11));  // it goes on
}

TEST_F(Foreign, AFileThatDiffersFromOurFinishedSweepIsRefused) {
  const auto done = test::finished(store_, sweep_key(), {measured(8, 10)});
  const Store::Imported before = in_store(done);
  Store::Imported faster = exported(done);
  faster.trials.at(0) = measured(8, 0.001);
  EXPECT_TRUE(contains(refusal(faster), "is our own"));
  Store::Imported later = exported(done);
  later.sweep.finished += 1000000;
  EXPECT_TRUE(contains(refusal(later), "is our own"));
  expect_unchanged(before);
  EXPECT_EQ(store_.best({}).at(0).trial, before.trials.at(0));
}

// Best and portable answers that come from sweeps of our own.
std::string own_answers(const Store& store) {
  std::vector<BestRow> rows = store.best({});
  std::erase_if(rows, [](const BestRow& row) { return row.imported; });
  std::string text = export_csv(rows);
  for (const PortableRow& row : store.portable("gemm", DeviceKind::cuda))
    text += row.implementation + to_text(row.configuration.values) + std::to_string(row.mean_ratio);
  return text;
}

TEST_F(Foreign, AMutatedExportNeverChangesOurAnswers) {
  Trial unverified = measured(8, 10);
  unverified.verification.reset();
  for (const std::int64_t size : {64, 128, 256, 512})
    test::finished(store_, sweep_key(size), {unverified, measured(16, 11)});
  const std::string before = own_answers(store_);
  for (int i = 0; i < 64; ++i) {
    Store::Imported mutant = exported(store_.sweeps({}).front());
    mutant.sweep.uuid = std::string(30, 'a') + std::to_string(10 + i);
    if ((i & 1) != 0) mutant.sweep.finished = 4000000000;
    if ((i & 2) != 0) mutant.sweep.key.budget = 0;
    if ((i & 4) != 0) mutant.trials.push_back(measured(16, 0.5, Stage::final));
    if ((i & 8) != 0) mutant.trials.at(0) = measured(8, 0.001);
    if ((i & 16) != 0) mutant.sweep.key.implementations[1].epoch = 999;
    if ((i & 32) != 0) mutant.trials.push_back(measured(8, 0.001, Stage::screen, "gemm/naive"));
    store_.import_sweeps({mutant});
    EXPECT_EQ(own_answers(store_), before) << i;
  }
}

TEST_F(Foreign, WhoClaimsToBeMeasuredHereIsNotBelieved) {
  Store::Imported liar = attack("hA.json").at(0);
  liar.sweep.store = store_.id();
  store_.import_sweeps({liar});
  const Store::Imported kept = in_store(liar.sweep);
  EXPECT_TRUE(kept.sweep.imported);
  EXPECT_EQ(kept.sweep.store, "");
  EXPECT_TRUE(contains(message_of<InputError>([&] { store_.recover_sweeps({liar}); }),
                       "was imported into"));
  expect_unchanged(kept);
}

class Recover : public Foreign {
 protected:
  // What a store that failed leaves behind: it could not take the last trial.
  Store::Imported rescued(const SweepRecord& sweep, const Trial& last) const {
    Store::Imported whole = in_store(sweep);
    whole.trials.push_back(last);
    return import_json(export_json({whole}), "rescue.json").at(0);
  }
  std::string not_recovered(const Store::Imported& sweep) {
    return message_of<InputError>([&] { store_.recover_sweeps({sweep}); });
  }
  const Trial a_ = measured(8, 10);
  const Trial b_ = measured(16, 11);
};

TEST_F(Recover, ContinuesASweepOfOurs) {
  const auto sweep = store_.begin_sweep(sweep_key(), environment(), Start::resume);
  store_.add_trial(sweep.id, a_);
  const auto rescue = rescued(sweep, b_);
  EXPECT_EQ(store_.recover_sweeps({rescue}), (Result{0, 1}));
  EXPECT_EQ(store_.trials(sweep.id), (std::vector<Trial>{a_, b_}));
  EXPECT_EQ(store_.recover_sweeps({rescue}), (Result{0, 0}));
  const auto resumed = store_.begin_sweep(sweep_key(), environment(), Start::resume);
  EXPECT_EQ(resumed.uuid, sweep.uuid);
  EXPECT_FALSE(resumed.imported);
  store_.finish_sweep(sweep.id, "{}");
  EXPECT_EQ(store_.recover_sweeps({rescue}), (Result{0, 0}));
  EXPECT_FALSE(store_.best({}).at(0).imported);
}

TEST_F(Recover, BringsBackWhatADatabaseLost) {
  const auto sweep = store_.begin_sweep(sweep_key(), environment(), Start::resume);
  const auto rescue = rescued(sweep, a_);
  Store fresh(folder_ / "fresh.db");
  EXPECT_EQ(fresh.recover_sweeps({rescue}), (Result{1, 0}));
  EXPECT_EQ(fresh.id(), store_.id());
  const auto resumed = fresh.begin_sweep(sweep_key(), environment(), Start::resume);
  EXPECT_EQ(resumed.uuid, sweep.uuid);
  EXPECT_EQ(fresh.trials(resumed.id), std::vector<Trial>{a_});
}

TEST_F(Recover, RefusesWhatAnotherDatabaseMeasured) {
  Store other(folder_ / "other.db");
  const auto theirs = other.begin_sweep(sweep_key(512), environment(), Start::fresh);
  Store::Imported foreign{theirs, {a_}};
  const auto ours = store_.begin_sweep(sweep_key(), environment(), Start::resume);
  const std::string sentence = not_recovered(foreign);
  EXPECT_TRUE(contains(sentence, other.id()) && contains(sentence, store_.id()) &&
              contains(sentence, "tilewright import"))
      << sentence;
  foreign.sweep.store.clear();
  EXPECT_TRUE(contains(not_recovered(foreign), "an unknown database"));
  EXPECT_TRUE(contains(not_recovered(attack("hB.json").at(0)), "an unknown database"));
  // One that is not ours keeps the others out too.
  EXPECT_THROW(store_.recover_sweeps({rescued(ours, a_), foreign}), InputError);
  EXPECT_TRUE(store_.trials(ours.id).empty());
  EXPECT_EQ(store_.sweeps({}).size(), 1U);
}

TEST_F(Recover, AnEmptyDatabaseTakesNoFileWithoutAnId) {
  EXPECT_TRUE(contains(not_recovered(attack("hB.json").at(0)), "an unknown database"));
  EXPECT_TRUE(store_.sweeps({}).empty());
}

}  // namespace
}  // namespace tilewright
