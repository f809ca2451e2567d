#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"

namespace tilewright {

// A configuration of an implementation that any sweep has tried.
struct TriedConfiguration {
  std::string implementation;  // "gemm/tiled"
  std::int64_t epoch = 1;
  std::string configuration;       // canonical JSON
  bool is_default = false;         // of its implementation, as one of the sweeps saw it
  std::int64_t shared_bytes = -1;  // per block, the most of any of its trials; -1: not known
};

// A problem that has a stored answer.
struct TunedProblem {
  Problem problem;
  Policy policy;
  double best_us = 0;      // the winner's median
  std::size_t winner = 0;  // of all implementations, into LossTable::configurations
};

// The time of a configuration for a problem, relative to the winner's.
struct TimedPair {
  std::size_t problem = 0;  // into LossTable::problems
  double ratio = 1;         // from 1; the loss is ratio − 1
};

// All stored times of one operation on one device. Each is divided by the time of the problem's
// winner in the same stage of the same sweep, or by its stored time if it was not measured there.
// Of a robust sweep's final it is the worse of the two ratios, cold and warm.
// Of several times of a configuration the newest sweep's counts, and there the final's. Pairs that
// were not measured, or that failed in the final, are left out.
struct LossTable {
  std::vector<TunedProblem> problems;
  std::vector<TriedConfiguration> configurations;
  std::vector<std::vector<TimedPair>> times;  // by configuration, in the problems' order
};

}  // namespace tilewright
