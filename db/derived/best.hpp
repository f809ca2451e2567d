#pragma once

#include <cstdint>
#include <string>

#include "db/tables/sqlite.hpp"

namespace tilewright {

// The rows of `best`, derived from finished sweeps and their trials. For each implementation,
// device, problem, policy and power limit, choose() picks the answer from one sweep. That is the
// newest of our most rigorous sweeps that measured anything. An imported sweep answers only if we
// have none. Of the answers under several limits, the one that would answer if limits did not count
// supersedes the others.

// Marks the sweep finished at `finished`, sets its rigour, and ends its claim. REQUIRES a
// Transaction.
void close_sweep(Database& database, std::int64_t sweep, std::int64_t finished,
                 const std::string& report);

// Derives the rows that depend on this finished sweep. REQUIRES a Transaction.
void derive_best(Database& database, std::int64_t sweep);

// Derives all rows again. REQUIRES a Transaction.
void derive_all_best(Database& database);

}  // namespace tilewright
