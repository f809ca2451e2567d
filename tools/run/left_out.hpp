#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "db/ladder/ladder.hpp"
#include "tools/run/pair_bench.hpp"

namespace tilewright::tools {

// A tuned problem as if nobody had tuned it: what a look-up would answer then.
struct LeftOutProblem {
  std::size_t workload = 0;  // that it is of
  TunedProblem tuned;
  std::optional<LadderAnswer> answer;  // none: nothing would answer
  std::optional<double> ratio;         // its time over the best on record; none: not measured
};

// What look-ups have: all stored and shipped answers of an operation, and the portable rows.
struct LookUpRows {
  std::vector<BestRow> rows;
  std::vector<PortableRow> portable;
};

// `tuned` is the problem's index in the view. The target must outlive the result.
LeftOutProblem leave_out(const Target& target, const PortfolioView& view, const LookUpRows& rows,
                         std::size_t tuned);

// Measures the answer beside the fastest on record if it has no time. False if it was stopped.
bool measure_left_out(const Target& target, const PortfolioView& view, const LeftOutProblem& left,
                      const PairBench& bench);

// The ratio on record; nothing if there is none.
std::optional<double> ratio_on_record(const PortfolioView& view, const LeftOutProblem& left);

// Of one workload, or of all. Losses are ratios − 1.
struct WorkloadLosses {
  std::string workload;
  std::size_t problems = 0;
  std::size_t known = 0;   // of them the answer's time is on record
  double mean = 0;         // geometric, of the ratios
  double most_of_ten = 0;  // the loss that nine of ten do not exceed
  double worst = 0;
};
WorkloadLosses losses_of(const std::string& workload, const std::vector<LeftOutProblem>& problems);

}  // namespace tilewright::tools
