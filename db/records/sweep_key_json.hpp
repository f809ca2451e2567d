#pragma once

#include "db/records/sweep_records.hpp"
#include "definition/json/json.hpp"

namespace tilewright {

// The key of a sweep as exports contain it and as request_hash() hashes it.
Json to_json(const SweepKey& key);
SweepKey sweep_key_from_json(const Json& json);

}  // namespace tilewright
