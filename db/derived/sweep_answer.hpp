#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "db/records/answer_rows.hpp"
#include "db/records/sweep_records.hpp"

namespace tilewright {

// The answer of this sweep alone for one of its implementations; nothing if none of its trials has
// a time. `trials` are the implementation's. choose() compares `judged`, which are the same with
// what decides as their times.
std::optional<BestRow> row_of(const SweepRecord& sweep, const ImplementationKey& implementation,
                              const std::vector<Trial>& trials, const std::vector<Trial>& judged);

// The answers of a sweep that is not finished, by its trials so far.
std::vector<BestRow> rows_so_far(const SweepRecord& sweep, const std::vector<Trial>& trials);

// How many configurations were tried, as a budget counts them.
std::size_t tried_of(const std::vector<Trial>& trials);

// Of a report: the number of legal configurations. It is known before the sweep is finished.
constexpr const char* kCandidates = "candidates";

// Of an unfinished sweep.
Progress progress_of(const SweepRecord& sweep, const std::vector<Trial>& trials);

}  // namespace tilewright
