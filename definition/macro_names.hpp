// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace tilewright {

// The macro that holds the index of a label: LOADING_COOPERATIVE, BOUNDARY_ZERO.
std::string label_macro(const std::string& name, const std::string& label);

// The macro of a dimension or choice that is compiled in: PROBLEM_TAPS.
std::string problem_macro(const std::string& name);

}  // namespace tilewright
