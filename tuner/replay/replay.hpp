#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/foreign/record.hpp"

namespace tilewright {

struct ReplayOptions {
  std::string strategy = "model";
  std::size_t budget = 1000;
  std::size_t seeds = 100;  // runs
  std::uint64_t first_seed = 1;
  std::size_t batch = 1;  // proposals before the outcome of the first
  std::size_t threads = 1;
};

// One run of a strategy.
struct ReplayRun {
  std::uint64_t seed = 0;
  std::vector<double> best;  // fraction of the optimum after 1, 2, … trials; 0: none measured
};

struct Replay {
  std::vector<ReplayRun> runs;  // by seed
  double seconds = 0;           // wall time

  // The quantile over runs after that many trials (or all, if a run has fewer), from 0 to 1.
  double fraction(std::size_t trials, double quantile) const;
};

// Runs a strategy on a record instead of a device. Throws InputError for an unknown strategy.
Replay replay(const Record& record, const ReplayOptions& options);

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
