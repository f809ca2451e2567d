#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "db/store/store.hpp"
#include "tools/input/target.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/results/portfolio.hpp"
#include "tuner/backend/device_report.hpp"
#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::tools {

// What configurations are measured beside each other with, and stored in.
struct PairBench {
  const DeviceReport& device;
  Environment environment;
  CompileQueue& compilers;
  Evaluator& evaluator;
  MachineMonitor* monitor;  // may be null
  Store& store;
  const std::atomic<bool>& stop;
};

// Claims the device and starts its processes for `use`, whose result it returns. False if it was
// stopped while another process measured there.
bool with_pair_bench(const Measuring& measuring, const DeviceReport& report, Store& store,
                     const std::function<bool(const PairBench&)>& use);

// Measures the configurations of a tuned problem in interleaved rounds, as `recheck` does, and
// stores them as a finished sweep of the lowest rigour. False if it was stopped; then nothing is
// stored. Throws InputError if the problem can no longer be measured.
bool measure_beside(const Target& target, const TunedProblem& tuned,
                    const std::vector<Candidate>& candidates, const PairBench& bench);

// The same for each of the pairs, with its progress on standard error. A problem that can no longer
// be measured is a warning. Ends, with true, when `is_late` says so.
bool measure_missing(
    const Target& target, const PortfolioView& view, const std::vector<MissingPairs>& missing,
    const PairBench& bench, const std::function<bool()>& is_late = [] { return false; });

// Measures the answer beside the fastest on record if it has no time. False if it was stopped.
bool measure_left_out(const Target& target, const PortfolioView& view, const LeftOutProblem& left,
                      const PairBench& bench);

}  // namespace tilewright::tools
