// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "tools/work/recheck_items.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright::tools {

// A stored winner and what it was compared with, measured again side by side. Rivals that are not
// stored, or are the winner itself, are none.
struct Remeasured {
  Trial winner;
  std::optional<Trial> runner_up;
  std::optional<Trial> standard;  // of the default configuration
};

struct Finding {
  Verdict verdict = Verdict::failed;
  std::string message;  // empty for what holds and has nothing to note
};

// holds: the winner answers right, the interval of its time overlaps the stored one widened by
// 2 %, and no rival is faster beyond noise.
Finding judge(const BestRow& row, const Remeasured& now);

// The same from the compiled code of the winner alone.
Finding judge_code(const BestRow& row, const CompileResult& code);

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
