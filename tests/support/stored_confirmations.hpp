#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "db/records/answer_rows.hpp"
#include "db/tables/rows.hpp"

namespace tilewright::test {

inline Confirmation confirmation_of(Columns& columns) {
  Confirmation confirmation;
  confirmation.trial = columns.integer();
  confirmation.at = columns.integer();
  const auto verdict = std::ranges::find(kVerdictNames, columns.text());
  if (verdict == kVerdictNames.end()) throw std::runtime_error("an unknown verdict is stored");
  confirmation.verdict = static_cast<Verdict>(verdict - kVerdictNames.begin());
  confirmation.message = columns.text();
  confirmation.code_hash = columns.text();
  if (columns.next_is_null()) {
    columns.skip(4);
  } else {
    ConfirmedTime& time = confirmation.time.emplace();
    time.median_us = columns.real();
    time.interval_low_us = columns.real();
    time.interval_high_us = columns.real();
    time.sm_mhz = columns.real();
  }
  confirmation.source_hash = columns.text();
  confirmation.environment = read_fields<Environment>(columns);
  return confirmation;
}

// What rechecks of a trial stored, oldest first.
inline std::vector<Confirmation> stored_confirmations(const std::filesystem::path& file,
                                                      std::int64_t trial) {
  Database database(file, Database::Mode::read_only, std::chrono::seconds(30));
  return rows_of(Statement(database,
                           "SELECT c.trial, c.at, c.verdict, c.message, c.code_hash, c.median_us, "
                           "c.interval_low_us, c.interval_high_us, c.sm_mhz, c.source_hash, " +
                               columns_sql<Environment>("e") +
                               " FROM confirmation c JOIN environment e ON e.id = c.environment "
                               "WHERE c.trial = ? ORDER BY c.at, c.id",
                           {trial}),
                 confirmation_of);
}

}  // namespace tilewright::test
