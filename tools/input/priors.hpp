// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

#include "campaign/priors.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// --priors; by default what is stored is used.
OptionSpec priors_option();
PriorUse prior_use(const Arguments& arguments);

// What a sweep began with, as its report keeps it; prints nothing for a report that does not say
// it.
void print_priors(std::ostream& out, const nlohmann::json& report);

}  // namespace tilewright::tools
