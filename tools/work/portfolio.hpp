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

// What is on record for a target on a device, and which of it today's definitions can serve.
struct PortfolioView {
  Device device;
  LossTable losses;
  std::vector<Configuration> configurations;           // those of `losses`
  std::vector<const Implementation*> implementations;  // of each; null: it cannot be served
  PortfolioWish wish;  // times of what fits, over the fastest time that fits
};

// Whether a configuration that fits may be served for the problem.
using PortfolioFilter =
    std::function<bool(const Implementation& implementation, const Configuration& configuration,
                       const Problem& problem)>;

// `target` must outlive the view. Without a filter every configuration that fits may be served.
PortfolioView view_portfolio(const Target& target, const Device& device, const Store& store,
                             const PortfolioFilter& filter = {});

// The fastest configuration that may be served for a problem; nothing if none was measured.
std::optional<std::size_t> fastest_for(const PortfolioView& view, std::size_t problem);

// What to measure in interleaved rounds for one problem: the fastest on record first, if any.
struct MissingPairs {
  std::size_t problem = 0;
  std::vector<std::size_t> configurations;
};

// The configurations of the portfolio and the fastest of each problem, on the problems that they
// fit and have no time for.
std::vector<MissingPairs> missing_pairs(const PortfolioView& view, const ChosenPortfolio& chosen);

// What pairs are measured with and stored in.
struct PairBench {
  const DeviceReport& device;
  Environment environment;
  CompileQueue& compilers;
  Evaluator& evaluator;
  Store& store;
  const std::atomic<bool>& stop;
};

// Measures the pairs as `recheck` does and stores them as a finished sweep of the lowest rigour.
// False if it was stopped; then nothing is stored. Throws InputError if the problem can no longer
// be measured.
bool measure_pairs(const Target& target, const PortfolioView& view, const MissingPairs& pairs,
                   const PairBench& bench);

}  // namespace tilewright::tools
