// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "db/derived/portfolio.hpp"
#include "db/store/store.hpp"
#include "tools/input/target.hpp"
#include "tuner/backend/device_report.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright::tools {

// What is on record of a target on a device, and what of it may be served by the definitions as
// they are now.
struct PortfolioView {
  Device device;
  LossTable losses;
  std::vector<Configuration> configurations;           // those of `losses`
  std::vector<const Implementation*> implementations;  // of each; null: it may not be served
  PortfolioWish wish;  // times of what fits its problem, over the fastest that does
};

// What may be served for a problem, beside what fits it.
using PortfolioFilter =
    std::function<bool(const Implementation& implementation, const Configuration& configuration,
                       const Problem& problem)>;

// `target` must outlive it. Without a filter all that fits may be served.
PortfolioView view_portfolio(const Target& target, const Device& device, const Store& store,
                             const PortfolioFilter& filter = {});

// The fastest configuration of the wish for a problem; nothing if none was measured.
std::optional<std::size_t> fastest_for(const PortfolioView& view, std::size_t problem);

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
