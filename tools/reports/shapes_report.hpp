// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <vector>

#include "definition/definition.hpp"
#include "tools/work/sweep_runner.hpp"

namespace tilewright::tools {

// A line for each problem: its fastest implementation, what was tried, how long that took, and how
// many compiles others' had done already; then a line of sums.
void print_shapes(std::ostream& out, const Operation& operation,
                  const std::vector<SweepAnswer>& answers);

}  // namespace tilewright::tools
