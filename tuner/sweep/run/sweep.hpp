#pragma once

#include <atomic>
#include <vector>

#include "tuner/space/space.hpp"
#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/summary.hpp"

namespace tilewright {

// The space of each of request.implementations, in their order. Those of routines are open. Throws
// as build_space() does.
std::vector<Space> build_spaces(const SweepRequest& request);

// Replaces the open spaces by what the libraries list on the device. Throws MachineError if its
// worker cannot start.
void list_routines(const SweepRequest& request, const SweepDevice& device,
                   std::vector<Space>& spaces);

// The legal configurations of all spaces.
std::size_t legal_of(const std::vector<Space>& spaces);

// Runs a sweep of those spaces: strategy, compiles ahead of the device, resource check, load,
// verify, sample; then the final. Each device works on a thread of its own in parallel to the
// search. The search may end before its budget, because of `stop`, a time, a target or a plateau.
// Then the running trial is finished and reported, and running compiles are dropped. Each object
// takes part in one call at a time. A signal handler may set `stop`. Each candidate is screened on
// one of the devices. All but the first begin by measuring the anchor of the first, so that times
// are corrected for differences between devices. The final runs on the first device alone. If a
// device is lost, its candidates move to the others, and the next one takes its place. Throws
// DeviceLost if all are lost, and InputError if the check of the tuned problem is none: zeros or an
// input would pass it.
SweepSummary run_sweep(const SweepRequest& request, const std::vector<Space>& spaces,
                       CompileQueue& compilers, const std::vector<SweepDevice>& devices,
                       SweepObserver& observer, const std::atomic<bool>& stop);

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
