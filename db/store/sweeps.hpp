#pragma once

#include <cstdint>
#include <vector>

#include "db/store/store.hpp"
#include "db/tables/sqlite.hpp"

namespace tilewright {

// These implement Store::begin_sweep and Store::import_sweeps. The last two REQUIRE a Transaction.
std::int64_t seconds_since_1970();
bool is_open(Database& database, std::int64_t sweep);
SweepRecord open_sweep(Database& database, const SweepKey& key, const Environment& environment,
                       Store::Start start);
Store::ImportResult add_or_continue(Database& database, const std::vector<Store::Imported>& sweeps);

}  // namespace tilewright
