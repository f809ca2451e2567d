// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/bench/peers/tournament.hpp"

namespace tilewright::bench {

// Everything that was measured, as Markdown: what the machine is and can do, then a line for each
// side, those of a case together.
void print_matches(std::ostream& out, const Arena& arena, const Ceilings& ceilings,
                   const std::vector<Match>& matches);

// The same with all samples.
nlohmann::json json_of(const Arena& arena, const Ceilings& ceilings,
                       const std::vector<Match>& matches, const std::string& command_line);

}  // namespace tilewright::bench
