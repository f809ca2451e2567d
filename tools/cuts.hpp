// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/report.hpp"
#include "tuner/space/space.hpp"

namespace tilewright::tools {

// One more for `rule`; the first example of a rule stays.
void count_cut(std::vector<Cut>& cuts, const std::string& rule, const std::string& example);

// What cut a space before any compile: its rules, then the hardware's limits.
std::vector<Cut> cuts_before_compile(const Space& space);

// `4 362 legal`; of a sample also how large it is, and of how many.
std::string legal_text(const Space& space);

nlohmann::json json_of(const std::vector<Cut>& cuts);

// From json_of's form. Throws nlohmann::json::exception for another.
std::vector<Cut> cuts_from(const nlohmann::json& json);

void print_cuts(std::ostream& out, const std::vector<Cut>& cuts, const std::string& indent);

}  // namespace tilewright::tools
