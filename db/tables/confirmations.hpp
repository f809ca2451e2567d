#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/records/confirmation.hpp"
#include "db/tables/sqlite.hpp"

namespace tilewright {

// REQUIRES a Transaction. Throws std::logic_error if there is no such trial.
void add_confirmation_row(Database& database, const Confirmation& confirmation);

// Oldest first.
std::vector<Confirmation> read_confirmations(Database& database, std::int64_t trial);

// SQL for the id of the newest confirmation of the trial in this column that confirms().
std::string newest_confirming_sql(const std::string& trial_column);

}  // namespace tilewright
