#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "db/records/answer_rows.hpp"
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

// Reads finished sweeps of the newest epochs. A problem's times come from sweeps of the same origin
// as its winner: our own or imported. `device` is a row id.
LossTable read_losses(Database& database, const std::string& operation, std::int64_t device);

// With fewer tuned problems there is no portable configuration.
constexpr std::size_t kLeastTuned = 3;

// A configuration's place among those of an operation on a device.
struct RankedConfiguration {
  std::size_t configuration = 0;  // into LossTable::configurations
  double mean_ratio = 1;          // geometric mean over all tuned problems, from 1
  std::size_t measured = 0;       // tuned problems in which it has a time
};

// The configurations with a time: least mean first, then by implementation and configuration. If a
// configuration has no time for a problem, it counts as slow as the slowest default measured there.
// If no default was measured, it counts as slow as the median of those measured. `left_out` is
// ignored under all policies. Empty with fewer than kLeastTuned problems.
std::vector<RankedConfiguration> rank_portable(const LossTable& losses,
                                               const Problem* left_out = nullptr);

// The part of the ranking that is stored, in its order: the first few of each implementation, and
// the defaults, which the others are compared with.
std::vector<RankedConfiguration> keep_portable(const LossTable& losses,
                                               const std::vector<RankedConfiguration>& ranking);

// Derives the rows of `portable` for the operation and device of a finished sweep. REQUIRES a
// Transaction.
void derive_portable(Database& database, std::int64_t sweep);

// Derives all rows of `portable` again. REQUIRES a Transaction.
void derive_all_portable(Database& database);

// Derives all rows of both again. REQUIRES a Transaction.
void derive_all(Database& database);

}  // namespace tilewright
