// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/replay/random_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tilewright {

RandomSearch::RandomSearch(const Record& record) {
  const double best = best_time_us(record);
  for (const Trial& trial : record.trials)
    if (trial.outcome != Outcome::duplicate)
      fractions_.push_back(trial.timing ? best / trial.timing->median_us : 0);
  std::sort(fractions_.begin(), fractions_.end(), std::greater<>());
}

// A run misses all of the r fastest configurations with probability C(N − r, n) / C(N, n). The
// answer is at the first r for which that is at most `quantile`.
double RandomSearch::fraction(std::size_t trials, double quantile) const {
  const std::size_t all = fractions_.size();
  if (trials >= all) return fractions_.front();
  double missed = 1;
  for (std::size_t i = 0; i < all - trials; ++i) {
    missed *= static_cast<double>(all - trials - i) / static_cast<double>(all - i);
    if (missed <= quantile) return fractions_[i];
  }
  return fractions_[all - trials];
}

RandomSearch::Interval RandomSearch::median_of(std::size_t trials, std::size_t runs) const {
  const double half = 0.98 / std::sqrt(static_cast<double>(std::max<std::size_t>(1, runs)));
  return {fraction(trials, std::max(0.0, 0.5 - half)), fraction(trials, std::min(1.0, 0.5 + half))};
}

}  // namespace tilewright
