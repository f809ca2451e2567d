// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <vector>

#include "campaign/sweep_report.hpp"
#include "db/store/store.hpp"
#include "tools/work/sweep_setup.hpp"

namespace tilewright::tools {

// `report` as report_of made it; a missing or foreign part is left out.
void print_report(std::ostream& out, const Operation& operation, const nlohmann::json& report,
                  const std::vector<BestRow>& winners);

nlohmann::json json_of(const BestRow& row);

// The spaces and what cut them, for a sweep that has nothing to try.
void print_spaces(std::ostream& out, const SweepSetup& setup);

}  // namespace tilewright::tools
