// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace tilewright {

// In which order parameters are bound so that few prefixes have to be told apart: those that
// rules tie together side by side. Given are the number of values of each parameter and the
// parameters that each rule mentions. It is the order given, unless a greedy one promises less
// than half of the work; the measure is the number of combinations of values that open rules
// still depend on, after each parameter.
std::vector<std::size_t> binding_order(const std::vector<std::size_t>& value_counts,
                                       const std::vector<std::vector<std::size_t>>& rules);

}  // namespace tilewright
