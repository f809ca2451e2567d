// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "tools/work/recheck_work.hpp"

namespace tilewright::tools {

// A table, one line for each.
void print_rechecked(std::ostream& out, const std::vector<Rechecked>& results);

// {"rechecked": […], "verdicts": {name: count}}.
nlohmann::json json_of(const std::vector<Rechecked>& results);

}  // namespace tilewright::tools
