// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

namespace tilewright::tools {

// Where a sweep's wall time went, as its report keeps it, in two lines: who was at work, and what
// the rest went on with. Nothing for a report of a sweep that did not keep it.
void print_wall_time(std::ostream& out, const nlohmann::json& clock);

}  // namespace tilewright::tools
