#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "db/records/answer_rows.hpp"

namespace tilewright {

struct PortfolioWish {
  std::size_t problems = 0;
  std::vector<std::vector<TimedPair>> times;  // by configuration
  double within = 0.03;     // a configuration serves a problem if its ratio is at most 1 + within
  std::size_t at_most = 8;  // configurations
};

struct ChosenPortfolio {
  std::vector<std::size_t> configurations;          // into the wish's; who serves most first
  std::vector<std::optional<std::size_t>> serving;  // by problem, into `configurations`
  std::vector<double> ratios;                       // by problem; 0: not served
  std::size_t needed = 0;  // this number serves every problem that any configuration can serve
  bool is_fewest = false;  // it is proven that no fewer than `needed` do

  std::size_t served() const;
};

// The fewest configurations that serve every problem that any configuration can serve. If that
// takes more than at_most, then at_most configurations that serve many problems. A search of
// bounded length proves the number; without a proof it is that of the greedy choice. Exchanging
// one configuration at a time then lowers the total loss. Deterministic.
ChosenPortfolio choose_portfolio(const PortfolioWish& wish);

}  // namespace tilewright
