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

// A stored winner and its rivals, measured again in interleaved rounds. A rival that is not stored,
// or is the winner itself, is empty.
struct Remeasured {
  Trial winner;
  std::optional<Trial> runner_up;
  std::optional<Trial> standard;  // of the default configuration
};

struct Finding {
  Verdict verdict = Verdict::failed;
  std::string message;  // empty if the winner holds and there is nothing to note
};

// The verdict is `holds` if the winner's answers are right, the interval of its time overlaps the
// stored one widened by 2 %, and no rival is significantly faster.
Finding judge(const BestRow& row, const Remeasured& now);

// The verdict from the winner's compiled code alone.
Finding judge_code(const BestRow& row, const CompileResult& code);

// An item with what became of it.
struct Rechecked {
  RecheckItem item;
  Confirmation confirmation;
  Remeasured now;  // without times if it was only compiled
};

// Called with each item when it is done, on the caller's thread.
using OnRechecked = std::function<void(Rechecked)>;

// Measures winner, runner-up and default of each item in interleaved rounds. An item that can no
// longer be measured gets a verdict. Throws MachineError if nothing can be measured here. Ends when
// `stop` is set; then the running item gets no verdict.
void measure_items(std::vector<RecheckItem> items, CompileQueue& compilers, Evaluator& evaluator,
                   const std::atomic<bool>& stop, const OnRechecked& done);

// Compiles each item's winner and compares its code, in the order in which the compilers finish.
void compile_items(std::vector<RecheckItem> items, CompileQueue& compilers,
                   const std::atomic<bool>& stop, const OnRechecked& done);

}  // namespace tilewright::tools
