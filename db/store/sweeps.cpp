#include <fmt/format.h>

#include <optional>
#include <string>

#include "db/derived/best.hpp"
#include "db/derived/portable.hpp"
#include "db/records/border.hpp"
#include "db/store/store.hpp"
#include "db/tables/identity.hpp"
#include "db/tables/rows.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

namespace {

// The first sweep with this key and environment that `where` and `order` select.
std::optional<SweepRecord> find_sweep(Database& database, const SweepKey& key,
                                      const Environment& environment, const std::string& where,
                                      const std::string& order) {
  Condition condition;
  condition.add(where + " AND s.request_hash = ?", request_hash(key));
  condition.add("s.environment = ?", intern(database, environment));
  auto records = read_sweeps(database, condition, order + " LIMIT 1");
  if (records.empty()) return std::nullopt;
  return std::move(records.front());
}

// The unfinished sweep to continue. If it was imported, it becomes our own.
std::optional<SweepRecord> adopt_unfinished(Database& database, const SweepKey& key,
                                            const Environment& environment) {
  auto record = find_sweep(database, key, environment, "s.finished IS NULL",
                           "s.origin = 'own' DESC, s.id DESC");
  if (!record || !record->imported) return record;
  Statement(database, "UPDATE sweep SET origin = 'own' WHERE id = ?", {record->id}).run();
  record->imported = false;
  return record;
}

SweepRecord start_sweep(Database& database, const SweepKey& key, const Environment& environment) {
  SweepRecord record;
  record.uuid = new_uuid();
  record.key = key;
  record.environment = environment;
  record.started = seconds_since_1970();
  record.id = add_sweep_row(database, record);
  return record;
}

std::int64_t count_trials(Database& database, std::int64_t sweep) {
  Statement count(database, "SELECT count(*) FROM trial WHERE sweep = ?", {sweep});
  count.step();
  return count.integer(0);
}

void require_possible(const Store::Imported& imported) {
  require_possible(imported.sweep);
  for (const Trial& trial : imported.trials) require_possible(trial);
}

void import_trials(Database& database, std::int64_t sweep, const Store::Imported& imported) {
  if (const Trial* unlisted = add_trial_rows(database, sweep, imported.trials))
    throw InputError(fmt::format("sweep {} has a trial of '{}', which it does not list",
                                 imported.sweep.uuid, unlisted->implementation));
}

void close_imported(Database& database, std::int64_t sweep, const SweepRecord& record) {
  if (record.finished == 0) return;
  close_sweep(database, sweep, record.finished, record.report);
  derive_best(database, sweep);
}

void add_imported(Database& database, const Store::Imported& imported) {
  SweepRecord record = imported.sweep;
  record.imported = true;
  const std::int64_t sweep = add_sweep_row(database, record);
  import_trials(database, sweep, imported);
  close_imported(database, sweep, record);
}

// Returns whether the sweep, which is not finished here, has changed.
bool continue_imported(Database& database, std::int64_t sweep, const Store::Imported& imported) {
  const std::int64_t before = count_trials(database, sweep);
  import_trials(database, sweep, imported);
  close_imported(database, sweep, imported.sweep);
  return imported.sweep.finished != 0 || count_trials(database, sweep) > before;
}

}  // namespace

SweepRecord Store::begin_sweep(const SweepKey& key, const Environment& environment, Start start) {
  Transaction transaction(*database_);
  std::optional<SweepRecord> earlier;
  if (start == Start::resume) earlier = adopt_unfinished(*database_, key, environment);
  if (start == Start::retry)
    earlier = find_sweep(*database_, key, environment, "s.origin = 'own'", "s.id DESC");
  const bool goes_on = earlier && start == Start::resume;
  SweepRecord record = goes_on ? *earlier : start_sweep(*database_, key, environment);
  if (earlier && !goes_on) copy_trials_that_ended(*database_, earlier->id, record.id);
  transaction.commit();
  return record;
}

Store::ImportResult Store::import_sweeps(const std::vector<Imported>& sweeps) {
  for (const Imported& imported : sweeps)
    at_place("sweep " + imported.sweep.uuid, [&] { require_possible(imported); });
  Transaction transaction(*database_);
  ImportResult result;
  for (const Imported& imported : sweeps) {
    Statement known(*database_, "SELECT id, finished IS NULL FROM sweep WHERE uuid = ?",
                    {imported.sweep.uuid});
    if (!known.step()) {
      add_imported(*database_, imported);
      ++result.added;
    } else if (known.integer(1) != 0 && continue_imported(*database_, known.integer(0), imported)) {
      ++result.continued;
    }
  }
  if (result != ImportResult{}) derive_all_portable(*database_);
  transaction.commit();
  return result;
}

}  // namespace tilewright
