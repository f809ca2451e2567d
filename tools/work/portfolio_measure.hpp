// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "tools/work/portfolio_view.hpp"
#include "tuner/backend/device_report.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright::tools {

// What to measure side by side for one problem: the fastest on record first, if there is one.
struct MissingPairs {
  std::size_t problem = 0;
  std::vector<std::size_t> configurations;
};

// Those of the portfolio and the fastest of each problem, where they fit and have no time.
std::vector<MissingPairs> missing_pairs(const PortfolioView& view, const ChosenPortfolio& chosen);

// Where pairs are measured and kept.
struct PairBench {
  const DeviceReport& device;
  Environment environment;
  CompileQueue& compilers;
  Evaluator& evaluator;
  Store& store;
  const std::atomic<bool>& stop;
};

// Measures them as `recheck` does and keeps them as a finished sweep of the least rigour. False if
// stopped, with nothing kept. Throws InputError where the problem cannot be measured any more.
bool measure_pairs(const Target& target, const PortfolioView& view, const MissingPairs& pairs,
                   const PairBench& bench);

}  // namespace tilewright::tools
