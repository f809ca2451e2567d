// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace tilewright {

// An order to bind parameters in that puts side by side what rules tie together: always the next
// parameter after which open rules depend on the fewest combinations of values (the first of
// several). Given are the number of values of each parameter and the parameters that each rule
// mentions.
std::vector<std::size_t> greedy_order(const std::vector<std::size_t>& value_counts,
                                      const std::vector<std::vector<std::size_t>>& rules);

}  // namespace tilewright
