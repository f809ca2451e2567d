// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "db/store/store.hpp"
#include "db/tables/sqlite.hpp"

namespace tilewright {

// Store::import_sweeps, which says what it does. REQUIRES a Transaction.
Store::ImportResult add_or_continue(Database& database, const std::vector<Store::Imported>& sweeps);

}  // namespace tilewright
