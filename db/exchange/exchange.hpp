// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/store/store.hpp"

namespace tilewright {

// Formats that leave the store. All are in a stable order and end with a newline.

// Everything of the matching finished sweeps: `{"format": "tilewright", "version": 2,
// "sweeps": […]}`. import_json takes it back.
std::string export_json(const Store& store, const Query& query);

// The same of these sweeps, unfinished ones too, in a stable order of its own; for one without a
// store.
std::string export_json(std::vector<Store::Imported> sweeps);

// One line for each best row, with a header line.
std::string export_csv(const std::vector<BestRow>& rows);

// Reads version 1 too, whose intervals are those between the quartiles. Throws InputError: not
// JSON, truncated, another program's, a newer version, an unknown outcome. `name` is the file's,
// for messages.
std::vector<Store::Imported> import_json(std::string_view text, const std::string& name);

}  // namespace tilewright
