// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"

namespace tilewright {

// A configuration of an implementation, in whichever sweeps it has been tried.
struct TriedConfiguration {
  std::string implementation;  // "gemm/tiled"
  std::int64_t epoch = 1;
  std::string configuration;       // canonical JSON
  bool is_default = false;         // of its implementation, as one of the sweeps saw it
  std::int64_t shared_bytes = -1;  // per block, the most of any of its trials; -1: not known
};

// A problem that has an answer on record.
struct TunedProblem {
  Problem problem;
  Policy policy;
  double best_us = 0;      // the winner's median
  std::size_t winner = 0;  // of all implementations, into LossTable::configurations
};

// How many times as long as the winner a configuration takes for a problem.
struct TimedPair {
  std::size_t problem = 0;  // into LossTable::problems
  double ratio = 1;         // from 1; the loss is ratio − 1
};

// All times on record of one operation on one device, each over that of the problem's winner in the
// same stage of the same sweep, or where the winner was not measured there, over its stored time.
// Of several times of a configuration that of the newest sweep counts, and there the final stage
// before the screening. Pairs that were not measured, or failed in a final stage, are not there.
struct LossTable {
  std::vector<TunedProblem> problems;
  std::vector<TriedConfiguration> configurations;
  std::vector<std::vector<TimedPair>> times;  // by configuration, in the problems' order
};

}  // namespace tilewright
