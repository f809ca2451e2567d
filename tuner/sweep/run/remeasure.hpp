#pragma once

#include <atomic>
#include <vector>

#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/request.hpp"

namespace tilewright {

// Measures a few known configurations as a sweep's final does: the first one that compiles runs
// until the clock is that of its load (Judge::settle), and then come interleaved rounds. Each is
// verified first, on inputs from request.seed. None is dropped because it is slow, unless its call
// is long (ContestRules::long_us). Returns trials of the final in the candidates' order, or no
// trials if stopped; `ended_s` counts from the call. The candidates must differ. Throws InputError
// if a source cannot be read or the reference does not compile, and MachineError if no session can
// be opened.
std::vector<Trial> remeasure(const SweepRequest& request, const std::vector<Candidate>& candidates,
                             CompileQueue& compilers, Evaluator& evaluator,
                             const std::atomic<bool>& stop);

}  // namespace tilewright
