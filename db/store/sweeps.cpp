#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "db/derived/derive.hpp"
#include "db/records/border.hpp"
#include "db/store/store.hpp"
#include "db/tables/rows.hpp"
#include "definition/text/errors.hpp"

namespace tilewright {

namespace {

// The first sweep with this key and environment that `where` and `order` select.
std::optional<SweepRecord> find_sweep(Database& database, const SweepKey& key,
                                      const Environment& environment, const std::string& where,
                                      const std::string& order) {
  Condition condition;
  condition.add(where + " AND s.request_hash = ?", request_hash(key));
  condition.add("s.environment = ?", intern(database, environment));
  return first_row(read_sweeps(database, condition, order + " LIMIT 1"));
}

SweepRecord start_sweep(Database& database, const SweepKey& key, const Environment& environment,
                        const std::string& store) {
  SweepRecord record;
  record.uuid = new_uuid();
  record.key = key;
  record.environment = environment;
  record.started = seconds_since_1970();
  record.store = store;
  record.id = add_sweep_row(database, record);
  return record;
}

std::int64_t count_trials(Database& database, std::int64_t sweep) {
  return database.integer("SELECT count(*) FROM trial WHERE sweep = ?", {sweep});
}

void require_possible(const std::vector<Store::Imported>& sweeps) {
  for (const Store::Imported& taken : sweeps)
    at_place("sweep " + taken.sweep.uuid, [&taken] {
      require_possible(taken.sweep);
      for (const Trial& trial : taken.trials) require_possible(trial);
    });
}

void take_trials(Database& database, std::int64_t sweep, const Store::Imported& taken) {
  if (const Trial* unlisted = add_trial_rows(database, sweep, taken.trials))
    throw bad_input("sweep {} has a trial of '{}', which it does not list", taken.sweep.uuid,
                    unlisted->implementation);
}

void close_taken(Database& database, std::int64_t sweep, const SweepRecord& record) {
  if (record.finished == 0) return;
  close_sweep(database, sweep, record.finished, record.report);
  derive_best(database, sweep);
}

void add_taken(Database& database, const Store::Imported& taken) {
  const std::int64_t sweep = add_sweep_row(database, taken.sweep);
  take_trials(database, sweep, taken);
  close_taken(database, sweep, taken.sweep);
}

// Returns whether `known`, which is not finished here, has changed. Its search may have ended early
// since, which changes the strategy.
bool continue_with(Database& database, SweepRecord known, const Store::Imported& taken) {
  const std::int64_t before = count_trials(database, known.id);
  take_trials(database, known.id, taken);
  known.key.strategy = taken.sweep.key.strategy;
  set_strategy(database, known.id, known.key);
  close_taken(database, known.id, taken.sweep);
  return taken.sweep.finished != 0 || count_trials(database, known.id) > before;
}

std::optional<SweepRecord> find_uuid(Database& database, const std::string& uuid) {
  Condition condition;
  condition.add("s.uuid = ?", uuid);
  return first_row(read_sweeps(database, condition, "s.id"));
}

// What was imported is not ours, whatever it says of itself.
Store::Imported as_foreign(Store::Imported imported, const std::string& own_store) {
  imported.sweep.imported = true;
  if (imported.sweep.store == own_store) imported.sweep.store.clear();
  return imported;
}

Store::Imported as_own(Store::Imported recovered) {
  recovered.sweep.imported = false;
  return recovered;
}

// Throws unless the file holds our sweep as it is, or as it was before its last trials.
void require_copy(const SweepRecord& ours, const std::vector<Trial>& trials,
                  const Store::Imported& theirs) {
  std::set<std::string> known;
  for (const Trial& trial : trials) known.insert(trial_text(trial));
  SweepKey key = theirs.sweep.key;
  if (theirs.sweep.finished == 0) key.strategy = ours.key.strategy;  // before it ended early
  const bool is_same_end =
      theirs.sweep.finished == ours.finished && theirs.trials.size() == trials.size();
  const bool is_copy = request_hash(key) == request_hash(ours.key) &&
                       (theirs.sweep.finished == 0 || is_same_end) &&
                       std::ranges::all_of(theirs.trials, [&known](const Trial& trial) {
                         return known.contains(trial_text(trial));
                       });
  if (!is_copy)
    throw bad_input(
        "sweep {} is our own, and the file has other trials of it than the database; if the file "
        "was written for this database, use `tilewright recover`",
        ours.uuid);
}

std::string store_text(const SweepRecord& sweep) {
  return sweep.store.empty() ? "an unknown database" : "the database with the id " + sweep.store;
}

void require_ours(const SweepRecord& sweep, const std::string& store,
                  const std::filesystem::path& file) {
  if (sweep.store != store)
    throw bad_input(
        "sweep {} was measured for {}, not for '{}', which has the id {}; `tilewright import` adds "
        "it as a result from elsewhere",
        sweep.uuid, store_text(sweep), file.string(), store);
}

}  // namespace

SweepRecord Store::begin_sweep(const SweepKey& key, const Environment& environment, Start start) {
  Transaction transaction(*database_);
  SweepRecord record = begin(key, environment, start);
  transaction.commit();
  return record;
}

std::optional<SweepRecord> Store::begin_unless_finished(const SweepKey& key,
                                                        const Environment& environment) {
  Transaction transaction(*database_);
  if (finished_sweep(key, environment.power_limit_w)) return std::nullopt;
  SweepRecord record = begin(key, environment, Start::resume);
  transaction.commit();
  return record;
}

SweepRecord Store::begin(const SweepKey& key, const Environment& environment, Start start) {
  std::optional<SweepRecord> earlier;
  if (start != Start::fresh)
    earlier = find_sweep(
        *database_, key, environment,
        start == Start::resume ? "s.origin = 'own' AND s.finished IS NULL" : "s.origin = 'own'",
        "s.id DESC");
  const bool goes_on = earlier && start == Start::resume;
  if (goes_on) {
    claimant_->require_free(*database_, earlier->id);
    drop_trials_to_repeat(*database_, earlier->id);
  }
  SweepRecord record = goes_on ? *earlier : start_sweep(*database_, key, environment, id());
  if (earlier && !goes_on) copy_trials_that_ended(*database_, earlier->id, record.id);
  claimant_->take(*database_, record.id);
  return record;
}

Store::ImportResult Store::import_sweeps(const std::vector<Imported>& sweeps) {
  require_possible(sweeps);
  Transaction transaction(*database_);
  const std::string own_store = id();
  ImportResult result;
  for (const Imported& imported : sweeps) {
    const auto known = find_uuid(*database_, imported.sweep.uuid);
    if (!known) {
      add_taken(*database_, as_foreign(imported, own_store));
      ++result.added;
    } else if (!known->imported) {
      require_copy(*known, trials(known->id), imported);
    } else if (known->finished == 0 && continue_with(*database_, *known, imported)) {
      ++result.continued;
    }
  }
  if (result != ImportResult{}) derive_all_portable(*database_);
  transaction.commit();
  return result;
}

Store::ImportResult Store::recover_sweeps(const std::vector<Imported>& sweeps) {
  require_possible(sweeps);
  Transaction transaction(*database_);
  const bool is_new = database_->integer("SELECT count(*) FROM sweep") == 0;
  if (is_new && !sweeps.empty() && !sweeps.front().sweep.store.empty())
    database_->run("UPDATE store SET id = ?", {sweeps.front().sweep.store});
  const std::string own_store = id();
  for (const Imported& recovered : sweeps) require_ours(recovered.sweep, own_store, file());
  const ImportResult result = take_own(sweeps);
  transaction.commit();
  return result;
}

Store::ImportResult Store::gather_sweeps(const std::vector<Imported>& sweeps,
                                         const std::string& job) {
  require_possible(sweeps);
  for (const Imported& gathered : sweeps)
    if (gathered.sweep.store != job)
      throw bad_input("sweep {} was measured for {}, not for the job {}", gathered.sweep.uuid,
                      store_text(gathered.sweep), job);
  Transaction transaction(*database_);
  const ImportResult result = take_own(sweeps);
  transaction.commit();
  return result;
}

Store::ImportResult Store::take_own(const std::vector<Imported>& sweeps) {
  ImportResult result;
  for (const Imported& taken : sweeps) {
    const auto known = find_uuid(*database_, taken.sweep.uuid);
    if (!known) {
      add_taken(*database_, as_own(taken));
      ++result.added;
    } else if (known->imported) {
      throw bad_input("sweep {} was imported into '{}' and stays a result from elsewhere",
                      known->uuid, file().string());
    } else if (known->finished == 0) {
      claimant_->require_free(*database_, known->id);
      if (continue_with(*database_, *known, taken)) ++result.continued;
    }
  }
  if (result != ImportResult{}) derive_all_portable(*database_);
  return result;
}

}  // namespace tilewright
