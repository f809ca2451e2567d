#pragma once

#include <string>
#include <vector>

#include "tilewright/statistics.hpp"
#include "tilewright/trial.hpp"
#include "tuner/backend/device_report.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::bench {

// One side of a pair.
struct Side {
  std::string how;
  OutputComparison accuracy;  // compared with float64; with a message if outside the tolerance
  Timing timing;
};

// The stored winner compared with one rival.
struct Match {
  std::string item;  // the case
  std::string rival;
  std::string note;
  std::string why_not;  // empty: measured
  Side ours;
  Side theirs;
  Ratio ratio;       // their time / our time
  double flops = 0;  // useful work of a call
  double bytes = 0;  // least traffic of a call
  double floor_us = 0;
  std::vector<ForeignProcess> others;  // computed on the GPU beside it, so it is not to be trusted

  bool is_measured() const { return why_not.empty(); }
};

}  // namespace tilewright::bench
