#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "db/records/losses.hpp"
#include "db/tables/sqlite.hpp"

namespace tilewright {

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

// Derives all rows again. REQUIRES a Transaction.
void derive_all_portable(Database& database);

}  // namespace tilewright
