// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "db/records/losses.hpp"

namespace tilewright {

// What a portfolio is chosen from.
struct PortfolioWish {
  std::size_t problems = 0;
  std::vector<std::vector<TimedPair>> times;  // by configuration: what it may serve
  double within = 0.03;                       // of the best: a ratio of up to 1 + within serves
  std::size_t at_most = 8;                    // configurations
};

// A few configurations that serve many problems.
struct ChosenPortfolio {
  std::vector<std::size_t> configurations;          // into the wish's; who serves most first
  std::vector<std::optional<std::size_t>> serving;  // by problem, into `configurations`
  std::vector<double> ratios;                       // by problem; 0: not served
  std::size_t needed = 0;  // so many serve every problem that can be served at all
  bool is_fewest = false;  // proven: no fewer than `needed` do

  std::size_t served() const;
};

// The fewest configurations that serve every problem that any of them can serve; where that takes
// more than at_most, at_most of them that serve many. The number is exact as long as a search of
// bounded length proves it, else that of the greedy choice. Among portfolios of equal service one
// of little total loss is taken, found by exchanging one configuration at a time. Deterministic.
ChosenPortfolio choose_portfolio(const PortfolioWish& wish);

}  // namespace tilewright
