#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/trial.hpp"
#include "tuner/search/grid.hpp"

namespace tilewright {

// What a sweep of a similar problem, under another policy or on another device found out about a
// candidate. It is a hint and not an outcome.
struct PriorTrial {
  std::size_t candidate = 0;
  std::optional<double> ratio = {};  // time over that sweep's best, at least 1; none: failed
};

// What a strategy chooses from: candidates 0 … count−1. It tries `first` first, which are defaults
// and seeds, then the best priors. `exhaustive` and `random` ignore priors.
struct SearchProblem {
  std::size_t count = 0;
  std::vector<std::size_t> first;
  std::uint64_t seed = 1;
  std::size_t budget = 0;  // trials, without duplicates of another's code; 0: no limit
  SearchGrid grid = {};    // of `count` candidates; empty: unknown
  // In any order. A candidate occurs once for each sweep that tried it.
  std::vector<PriorTrial> priors = {};
};

// Proposes candidates and learns from their outcomes. The same seed and sequence of calls give the
// same proposals. Not thread-safe.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // Up to `most` candidates that were not proposed before. Empty: there is nothing more to propose,
  // unless a later outcome is a duplicate.
  virtual std::vector<std::size_t> propose(std::size_t most) = 0;
  // Outcomes may come in any order, even for candidates that it never proposed (a resumed sweep).
  virtual void tell(std::size_t candidate, const Trial& trial) = 0;
};

// `name` is one of strategy_names(), or "model:" and options as model_options() reads them. Throws
// InputError for another name.
std::unique_ptr<Strategy> make_strategy(const std::string& name, SearchProblem problem);

// Whether the strategy's proposals depend on priors and outcomes.
bool is_learning(const std::string& strategy);

// "exhaustive", "random", "local", "genetic", "model".
std::vector<std::string> strategy_names();

}  // namespace tilewright
