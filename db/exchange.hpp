// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/store.hpp"

namespace tilewright {

// Formats that leave the store. All are in a stable order and end with a newline.

// Everything of the matching finished sweeps: `{"format": "tilewright", "version": 1,
// "sweeps": […]}`. import_json takes it back.
std::string export_json(const Store& store, const Query& query);

// One line for each best row, with a header line.
std::string export_csv(const std::vector<BestRow>& rows);

// A C++17 header with the best rows as a constexpr table and a look-up function; needs nothing
// of ours.
std::string export_header(const std::vector<BestRow>& rows);

// Throws InputError: not JSON, truncated, another program's, a newer version, an unknown
// outcome. `name` is the file's, for messages.
std::vector<Store::Imported> import_json(std::string_view text, const std::string& name);

// `-DTILE_WIDTH=32 -DBLOCK_X=16`, for a compiler's command line; labels give their index
// macros too, as the tuner passes them.
std::string defines(const BestRow& row);

}  // namespace tilewright
