// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "campaign/prepared_sweep.hpp"
#include "tools/input/target.hpp"

namespace tilewright::tools {

OptionSpec priors_option();

// Everything that a sweep's command line decides, checked, before anything is written. Throws
// InputError for bad input, also where there is no device, and MachineError where there is none.
PreparedSweep prepare_sweep(const Arguments& arguments, Target target);

// The target's problem, if it and the options would be accepted by prepare_sweep(); the space is
// not looked at. Throws as that does.
Problem check_problem(const Arguments& arguments, const Target& target);

}  // namespace tilewright::tools
