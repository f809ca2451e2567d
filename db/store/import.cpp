// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/store/import.hpp"

#include <fmt/format.h>

#include "db/derived/best.hpp"
#include "db/tables/rows.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

namespace {

std::int64_t count_trials(Database& database, std::int64_t sweep) {
  Statement count(database, "SELECT count(*) FROM trial WHERE sweep = ?", {sweep});
  count.step();
  return count.integer(0);
}

void import_trials(Database& database, std::int64_t sweep, const Store::Imported& imported) {
  const auto implementations = open_implementations(database, sweep);
  TrialWriter writer(database);
  for (const Trial& trial : imported.trials) {
    const auto at = implementations.find(trial.implementation);
    if (at == implementations.end())
      throw InputError(fmt::format("sweep {} has a trial of '{}', which it does not list",
                                   imported.sweep.uuid, trial.implementation));
    writer.add(sweep, at->second, trial);
  }
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

// Whether the sweep, which is not finished here, has changed.
bool continue_imported(Database& database, std::int64_t sweep, const Store::Imported& imported) {
  const std::int64_t before = count_trials(database, sweep);
  import_trials(database, sweep, imported);
  close_imported(database, sweep, imported.sweep);
  return imported.sweep.finished != 0 || count_trials(database, sweep) > before;
}

}  // namespace

Store::ImportResult add_or_continue(Database& database,
                                    const std::vector<Store::Imported>& sweeps) {
  Store::ImportResult result;
  for (const Store::Imported& imported : sweeps) {
    Statement known(database, "SELECT id, finished IS NULL FROM sweep WHERE uuid = ?",
                    {imported.sweep.uuid});
    if (!known.step()) {
      add_imported(database, imported);
      ++result.added;
    } else if (known.integer(1) != 0 && continue_imported(database, known.integer(0), imported)) {
      ++result.continued;
    }
  }
  return result;
}

}  // namespace tilewright
