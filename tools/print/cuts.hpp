// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "campaign/cut_tally.hpp"
#include "tools/print/report.hpp"
#include "tuner/space/space.hpp"

namespace tilewright::tools {

// `4 362 legal`; of a sample also how large it is, and of how many.
std::string legal_text(const Space& space);

// From the form of a sweep's report (campaign/cut_tally.hpp). Throws nlohmann::json::exception for
// another.
std::vector<Cut> cuts_from(const nlohmann::json& json);

void print_cuts(std::ostream& out, const std::vector<Cut>& cuts, const std::string& indent);

}  // namespace tilewright::tools
