#pragma once

#include "db/records/sweep_records.hpp"
#include "definition/json/json.hpp"

namespace tilewright {

// The key of a sweep as exports contain it and as request_hash() hashes it.

template <class Visit>
void for_each_field(MaybeConst<ImplementationKey> auto& key, const Visit& visit) {
  visit("name", key.name);
  visit("epoch", key.epoch);
  visit("source_hash", key.source_hash);
  visit("space_hash", key.space_hash);
  visit("default_configuration", key.default_configuration.values);
}

TILEWRIGHT_LIST_FIELDS(always, SweepKey, operation, problem, device, policy, implementations, where,
                       strategy, budget, seed);

}  // namespace tilewright
