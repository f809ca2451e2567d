// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "db/records/answer_rows.hpp"
#include "db/records/sweep_records.hpp"
#include "db/tables/rows.hpp"
#include "db/tables/sqlite.hpp"

namespace tilewright {

// The rows of `best`, derived from finished sweeps and their trials. For each implementation,
// device, problem and policy the answer is choose()'s in one sweep: of our own sweeps the most
// rigorous, of those the newest, of those with a measurement; an imported one takes its place
// only if ours has no verified winner and less rigour, or there is none of ours.

// Marks the sweep finished at `finished` and sets its rigour. REQUIRES a Transaction.
void close_sweep(Database& database, std::int64_t sweep, std::int64_t finished,
                 const std::string& report);

// Brings the rows up to date that depend on this finished sweep. REQUIRES a Transaction.
void derive_best(Database& database, std::int64_t sweep);

// All rows anew. REQUIRES a Transaction.
void derive_all_best(Database& database);

std::vector<BestRow> read_best(Database& database, const Query& query);

// One after another, by one statement: preparing it takes longer than reading a row.
std::vector<BestRow> read_best_of(Database& database,
                                  const std::vector<SubjectList::Row>& subjects);

}  // namespace tilewright
