#include <fmt/format.h>

#include <stdexcept>

#include "db/store/store.hpp"
#include "db/tables/identity.hpp"
#include "db/tables/rows.hpp"

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

void Store::add_confirmation(const Confirmation& confirmation) {
  Transaction transaction(*database_);
  if (!Statement(*database_, "SELECT 1 FROM trial WHERE id = ?", {confirmation.trial}).step())
    throw std::logic_error(fmt::format("there is no trial {} to confirm", confirmation.trial));
  std::vector<Cell> cells = {confirmation.trial,
                             intern(*database_, confirmation.environment),
                             confirmation.at == 0 ? seconds_since_1970() : confirmation.at,
                             to_cell(confirmation.verdict),
                             confirmation.message,
                             confirmation.code_hash};
  if (const auto& time = confirmation.time) {
    cells.insert(cells.end(),
                 {time->median_us, time->interval_low_us, time->interval_high_us, time->sm_mhz});
  } else {
    cells.insert(cells.end(), kTimeColumns, Cell{nullptr});
  }
  Statement(
      *database_,
      insert_sql("confirmation", {"trial", "environment", "at", "verdict", "message", "code_hash",
                                  "median_us", "interval_low_us", "interval_high_us", "sm_mhz"}),
      cells)
      .run();
  transaction.commit();
}

std::vector<Confirmation> Store::confirmations(std::int64_t trial) const {
  return rows_of(Statement(*database_,
                           "SELECT c.trial, c.at, c.verdict, c.message, c.code_hash, c.median_us, "
                           "c.interval_low_us, c.interval_high_us, c.sm_mhz, " +
                               environment_columns("e") +
                               " FROM confirmation c JOIN environment e ON e.id = c.environment "
                               "WHERE c.trial = ? ORDER BY c.at, c.id",
                           {trial}),
                 read_confirmation);
}

}  // namespace tilewright
