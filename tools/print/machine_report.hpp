// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

#include "tuner/measure/machine_watch.hpp"

namespace tilewright::tools {

// What a sweep's report keeps of the machine, in a line or two; a missing or foreign part is left
// out.
void print_machine(std::ostream& out, const nlohmann::json& machine);

// What may have spoiled the times, as a sentence; empty: nothing that could be seen.
std::string disturbance(const MachineSummary& machine);

}  // namespace tilewright::tools
