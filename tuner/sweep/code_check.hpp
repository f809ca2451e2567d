// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tilewright/device.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/backend/facts.hpp"
#include "tuner/backend/launch_plan.hpp"

namespace tilewright {

// What compiled code takes on a device: of all launches the one that leaves the fewest blocks
// resident (where that is not known, the one with the most threads).
Resources resources_of(const LaunchPlan& plan, const CompileResult& code,
                       const BackendFacts& backend, const Device& device);

// Entry → symbol, as a loader needs them.
std::map<std::string, std::string> symbols_of(const CompileResult& code);

// Two configurations with equal keys run the same code in the same way.
std::string launch_key(const std::string& code_hash, const LaunchPlan& plan);

}  // namespace tilewright
