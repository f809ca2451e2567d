// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/store/store.hpp"

namespace tilewright {

// Answers without the sweeps that they come from: what is shipped, reviewed and compared. JSON,
// `{"format": "tilewright-winners", "version": 1, "about": …, "groups": […]}`, a group for each
// device, environment and policy, in a stable order: equal rows give equal bytes.

// With margins over default and runner-up, without samples; ends with a newline.
std::string export_winners(const std::vector<BestRow>& rows, const std::string& about = {});

// Optional in a file, because not everything is known of every result: resources, verification,
// code and source hash, sweep, default, runner-up, and how many were measured. Keys that are not
// known are passed over. Throws InputError that names the file, the winner and the field; for two
// winners of one implementation, device, problem and policy too.
std::vector<BestRow> import_winners(std::string_view text, const std::string& name);

// Whether the text says of itself that it is such a file.
bool are_winners(std::string_view text);

}  // namespace tilewright
