#include "db/tables/confirmations.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "db/tables/identity.hpp"

namespace tilewright {

namespace {

constexpr int kTimeColumns = 4;

Confirmation read_confirmation(Columns& columns) {
  Confirmation confirmation;
  confirmation.trial = columns.integer();
  confirmation.at = columns.integer();
  const std::string name = columns.text();
  const auto verdict = verdict_from(name);
  if (!verdict) columns.database().fail_on_row(fmt::format("'{}' is no verdict", name));
  confirmation.verdict = *verdict;
  confirmation.message = columns.text();
  confirmation.code_hash = columns.text();
  if (columns.next_is_null()) {
    columns.skip(kTimeColumns);
  } else {
    ConfirmedTime& time = confirmation.time.emplace();
    time.median_us = columns.real();
    time.interval_low_us = columns.real();
    time.interval_high_us = columns.real();
    time.sm_mhz = columns.real();
  }
  confirmation.environment = read_environment(columns);
  return confirmation;
}

}  // namespace

void add_confirmation_row(Database& database, const Confirmation& confirmation) {
  if (!Statement(database, "SELECT 1 FROM trial WHERE id = ?", {confirmation.trial}).step())
    throw std::logic_error(fmt::format("there is no trial {} to confirm", confirmation.trial));
  std::vector<Cell> cells = {confirmation.trial,   intern(database, confirmation.environment),
                             confirmation.at,      std::string(to_text(confirmation.verdict)),
                             confirmation.message, confirmation.code_hash};
  if (const auto& time = confirmation.time) {
    cells.insert(cells.end(),
                 {time->median_us, time->interval_low_us, time->interval_high_us, time->sm_mhz});
  } else {
    cells.insert(cells.end(), kTimeColumns, Cell{nullptr});
  }
  Statement(database,
            "INSERT INTO confirmation (trial, environment, at, verdict, message, code_hash, "
            "median_us, interval_low_us, interval_high_us, sm_mhz) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            cells)
      .run();
}

std::vector<Confirmation> read_confirmations(Database& database, std::int64_t trial) {
  Statement select(database,
                   "SELECT c.trial, c.at, c.verdict, c.message, c.code_hash, c.median_us, "
                   "c.interval_low_us, c.interval_high_us, c.sm_mhz, " +
                       environment_columns("e") +
                       " FROM confirmation c JOIN environment e ON e.id = c.environment "
                       "WHERE c.trial = ? ORDER BY c.at, c.id",
                   {trial});
  std::vector<Confirmation> confirmations;
  while (select.step()) {
    Columns columns(select);
    confirmations.push_back(read_confirmation(columns));
  }
  return confirmations;
}

std::string newest_confirming_sql(const std::string& trial_column) {
  return fmt::format(
      "(SELECT n.id FROM confirmation n WHERE n.trial = {} AND n.verdict IN ('{}', '{}') "
      "ORDER BY n.at DESC, n.id DESC LIMIT 1)",
      trial_column, to_text(Verdict::holds), to_text(Verdict::same_code));
}

}  // namespace tilewright
