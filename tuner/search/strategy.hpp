// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
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

// What another sweep found out about a candidate: of a similar problem, under another policy or on
// another device. A hint, not an outcome.
struct PriorTrial {
  std::size_t candidate = 0;
  std::optional<double> ratio = {};  // its time over the best of that sweep, from 1; none: failed
};

// What a strategy chooses from: candidates 0 … count−1, some of them worth trying first
// (defaults, then seeds, then the best of the priors). `exhaustive` and `random` ignore
// priors.
struct SearchProblem {
  std::size_t count = 0;
  std::vector<std::size_t> first;
  std::uint64_t seed = 1;
  std::size_t budget = 0;  // trials, those with another's code not counted; 0: no limit
  SearchGrid grid = {};    // of `count` candidates; empty: nothing is known of them
  // Of any number of sweeps, in any order, a candidate once for each sweep that tried it.
  std::vector<PriorTrial> priors = {};
};

// Proposes candidates and learns from their outcomes. Deterministic for a seed and a sequence
// of calls. Not thread-safe.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // Up to `most` candidates, none proposed before; empty: nothing more to propose, unless an
  // outcome that is still to come is a duplicate.
  virtual std::vector<std::size_t> propose(std::size_t most) = 0;
  // Outcomes may come in any order, also for candidates it never proposed (a resumed sweep).
  virtual void tell(std::size_t candidate, const Trial& trial) = 0;
};

// One of strategy_names(), or "model:" with settings as model_options() reads them. Throws
// InputError for another name.
std::unique_ptr<Strategy> make_strategy(const std::string& name, SearchProblem problem);

// Whether its proposals depend on priors and outcomes.
bool is_learning(const std::string& strategy);

// "exhaustive", "random", "local", "genetic", "model".
std::vector<std::string> strategy_names();

}  // namespace tilewright
