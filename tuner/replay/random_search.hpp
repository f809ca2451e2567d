// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "tuner/replay/record.hpp"

namespace tilewright {

// What random search finds in a recorded space. It is computed from the times, without random runs.
class RandomSearch {
 public:
  explicit RandomSearch(const Record& record);

  // The `quantile` over all runs of the fraction of the optimum that a run reaches after `trials`
  // different configurations.
  double fraction(std::size_t trials, double quantile) const;

  struct Interval {
    double low = 0;
    double high = 0;
  };
  // The 95 % interval of the median of that many runs.
  Interval median_of(std::size_t trials, std::size_t runs) const;

 private:
  std::vector<double> fractions_;  // of all configurations, descending; 0: failed
};

}  // namespace tilewright
