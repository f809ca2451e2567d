// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "tools/work/recheck_items.hpp"
#include "tools/work/recheck_verdict.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright::tools {

// An item with what became of it.
struct Rechecked {
  RecheckItem item;
  Confirmation confirmation;
  Remeasured now;  // without times where only compiled
};

// Told of each as it is done, on the caller's thread.
using OnRechecked = std::function<void(Rechecked)>;

// Measures winner, runner-up and default of each item side by side. What cannot be measured any
// more is a verdict; throws MachineError when nothing can be measured here. Leaves off when `stop`
// is set, the running item without a verdict.
void measure_items(std::vector<RecheckItem> items, CompileQueue& compilers, Evaluator& evaluator,
                   const std::atomic<bool>& stop, const OnRechecked& done);

// Compiles each item's winner and compares its code. In the order in which the compilers finish.
void compile_items(std::vector<RecheckItem> items, CompileQueue& compilers,
                   const std::atomic<bool>& stop, const OnRechecked& done);

}  // namespace tilewright::tools
