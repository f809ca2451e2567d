#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "db/derived/portfolio.hpp"
#include "db/ladder/ladder.hpp"
#include "db/store/store.hpp"
#include "tools/input/target.hpp"

namespace tilewright {
struct BundleSpares;
}

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

// Where the tuned problem is in the view.
std::size_t place_of(const PortfolioView& view, const TunedProblem& tuned);

// The ratio on record; nothing if there is none.
std::optional<double> ratio_on_record(const PortfolioView& view, const LeftOutProblem& left);

// What ratios lose: ratios − 1.
struct Losses {
  std::size_t known = 0;   // of them the time is on record
  double mean = 0;         // geometric, of the ratios
  double most_of_ten = 0;  // the loss that nine of ten do not exceed
  double worst = 0;
};
Losses losses_of(std::vector<double> ratios);

// Of one workload, or of all.
struct WorkloadLosses : Losses {
  std::string workload;
  std::size_t problems = 0;
};
WorkloadLosses losses_of(const std::string& workload, const std::vector<LeftOutProblem>& problems);

// Adds to `spares` what a bundle serves other problems with on the device: a portfolio for the
// spares' problems and all tuned ones. It is chosen from the configurations in the store whose code
// most sizes can share. Prints the choice on `out`. Does nothing if `store` is null.
void choose_spares(BundleSpares& spares, const Target& target, const Store* store,
                   std::ostream& out);

}  // namespace tilewright::tools
