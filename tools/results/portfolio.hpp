#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "db/derived/portfolio.hpp"
#include "db/store/store.hpp"
#include "tools/input/target.hpp"

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

// The ratio of these pairs for the problem; nothing if it has none.
std::optional<double> ratio_of(const std::vector<TimedPair>& pairs, std::size_t problem);

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

// The portable rows that the device would have if the problem were not tuned.
std::vector<PortableRow> portable_without(const Problem& left_out, const LossTable& losses,
                                          const Device& device);

}  // namespace tilewright::tools
