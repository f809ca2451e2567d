// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "db/records/answer_rows.hpp"
#include "db/records/losses.hpp"
#include "db/records/sweep_records.hpp"
#include "db/tables/sqlite.hpp"

namespace tilewright {

// With fewer tuned problems nothing is said of what is good in general.
constexpr std::size_t kLeastTuned = 3;

// A configuration's place among those of an operation on a device.
struct RankedConfiguration {
  std::size_t configuration = 0;  // into LossTable::configurations
  double mean_ratio = 1;          // geometric mean over all tuned problems, from 1
  std::size_t measured = 0;       // in so many of them
};

// Those with a time, least mean first, then by implementation and configuration. For a problem in
// which a configuration has no time it counts as slow as the slowest default measured there, or
// where none was, as the middle one of those measured. `left_out` is taken for a problem that is
// not on record, under any policy. Nothing with fewer than kLeastTuned problems.
std::vector<RankedConfiguration> rank_portable(const LossTable& losses,
                                               const Problem* left_out = nullptr);

// Those of the ranking that are worth keeping, in its order: the first of each implementation, and
// its defaults, which others are held against.
std::vector<RankedConfiguration> keep_portable(const LossTable& losses,
                                               const std::vector<RankedConfiguration>& ranking);

// The rows of `portable` for the operation and device of a finished sweep, worked out again.
// REQUIRES a Transaction.
void derive_portable(Database& database, std::int64_t sweep);

// All rows anew. REQUIRES a Transaction.
void derive_all_portable(Database& database);

// Of all devices of the kind, each device's in order.
std::vector<PortableRow> read_portable(Database& database, const std::string& operation,
                                       DeviceKind kind);

}  // namespace tilewright
