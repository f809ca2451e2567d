#pragma once

#include <fmt/format.h>

#include "db/records/answer_rows.hpp"
#include "db/records/sweep_records.hpp"
#include "definition/json/border.hpp"
#include "definition/json/json.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

// require_possible() of definition/json/border.hpp, for records of the store.

inline void require_possible(const SweepRecord& sweep) {
  const SweepKey& key = sweep.key;
  require_possible_moment("started", sweep.started);
  require_possible_moment("finished", sweep.finished);
  if (key.operation != key.problem.operation)
    throw InputError(
        fmt::format("'operation' is '{}', and that of its problem '{}'; they are equal",
                    key.operation, key.problem.operation));
  require_possible(key.problem.values);
  require_possible(key.device);
  require_possible(sweep.environment);
  require_in_range("budget", static_cast<std::int64_t>(key.budget), 0, kLargestSize);
  for (const ImplementationKey& implementation : key.implementations)
    require_in_range("epoch", implementation.epoch, 0, kLargestSize);
}

// A winner may have no samples. 0: there is no default or runner-up.
inline void require_possible(const BestRow& row) {
  require_possible(row.problem.values);
  require_possible(row.device);
  require_possible(row.environment);
  require_possible_moment("measured_at", row.finished);
  require_in_range("epoch", row.epoch, 0, kLargestSize);
  if (row.trial.timing) require_possible(*row.trial.timing);
  if (row.trial.warm_timing) require_possible(*row.trial.warm_timing);
  if (row.default_median_us != 0) require_possible_time("default median_us", row.default_median_us);
  if (row.runner_up_median_us != 0)
    require_possible_time("runner-up median_us", row.runner_up_median_us);
}

inline void require_possible(const PortableRow& row) {
  require_possible(row.device);
  require_finite("mean_ratio", row.mean_ratio);
  require_in_range("epoch", row.epoch, 0, kLargestSize);
}

// The key of a sweep as exports contain it and as request_hash() hashes it.

TILEWRIGHT_LIST_FIELDS(always, ImplementationKey, name, epoch, source_hash, space_hash,
                       default_configuration);

TILEWRIGHT_LIST_FIELDS(always, SweepKey, operation, problem, device, policy, implementations, where,
                       strategy, budget, seed);

}  // namespace tilewright
