#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
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
// and seeds, then the best priors, then `suggested`. `exhaustive` and `random` ignore priors and
// suggestions.
struct SearchProblem {
  std::size_t count = 0;
  std::vector<std::size_t> first;
  std::uint64_t seed = 1;
  std::size_t budget = 0;  // trials, without duplicates of another's code; 0: no limit
  SearchGrid grid = {};    // of `count` candidates; empty: unknown
  // In any order. A candidate occurs once for each sweep that tried it.
  std::vector<PriorTrial> priors = {};
  std::vector<std::size_t> suggested = {};
  // By candidate: what it is expected to cost, in any unit; 0: nobody says. Empty: of none.
  std::vector<double> expected = {};
};

// A candidate whose outcome is known.
struct Known {
  std::size_t candidate = 0;
  std::optional<double> cost;  // ln of mean_time_us(); none: it failed
};

// A failure is slower than every time.
bool is_faster(const Known& a, const Known& b);

// Proposes candidates and learns from their outcomes. It keeps track of proposals, outcomes and the
// budget; choose() selects the next candidate. The same seed and sequence of calls give the same
// proposals. Not thread-safe.
class Strategy {
 public:
  explicit Strategy(SearchProblem problem);
  virtual ~Strategy() = default;

  // Up to `most` candidates that were not proposed before. Empty: there is nothing more to propose,
  // unless a later outcome is a duplicate.
  std::vector<std::size_t> propose(std::size_t most);
  // Outcomes may come in any order, even for candidates that it never proposed (a resumed sweep). A
  // duplicate has the outcome of the trial with its code_hash, which may be told later.
  void tell(std::size_t candidate, const Trial& trial);

 protected:
  // A candidate that is not taken; at least one exists. Here and in learn(), random() depends only
  // on the seed and on how many candidates are taken.
  virtual std::size_t choose() = 0;
  // Called after an outcome was added to known().
  virtual void learn(const Known& /*known*/) {}

  const std::vector<PriorTrial>& priors() const { return problem_.priors; }
  const SearchGrid& grid() const { return problem_.grid; }
  const std::vector<double>& expected() const { return problem_.expected; }
  std::size_t count() const { return problem_.count; }
  bool is_taken(std::size_t candidate) const { return taken_[candidate]; }
  std::size_t untaken() const { return problem_.count - taken_count_; }
  const std::vector<Known>& known() const { return known_; }
  // Proposed candidates without an outcome, in the order of their proposal.
  const std::vector<std::size_t>& pending() const { return pending_; }
  // The least cost; null while nothing was measured.
  const Known* best() const { return best_ ? &known_[*best_] : nullptr; }
  std::mt19937_64& random() { return random_; }
  // One that is not taken, all equally likely; at least one exists.
  std::size_t random_untaken();

 private:
  void take(std::size_t candidate);
  void learn_of(std::size_t candidate, std::optional<double> cost);
  void stir(std::uint64_t number);

  SearchProblem problem_;
  std::mt19937_64 random_;
  std::size_t next_first_ = 0;
  std::vector<bool> taken_;
  std::vector<bool> told_;
  std::size_t taken_count_ = 0;
  std::size_t duplicates_ = 0;
  std::vector<Known> known_;
  std::vector<std::size_t> pending_;
  std::optional<std::size_t> best_;  // in known_
  std::map<std::string, std::optional<double>> cost_by_code_;
  std::multimap<std::string, std::size_t> waiting_;  // duplicates whose code has no outcome yet
};

// `name` is one of strategy_names(), or "model:" and options as model_options() reads them. Throws
// InputError for another name.
std::unique_ptr<Strategy> make_strategy(const std::string& name, SearchProblem problem);

// Whether the strategy's proposals depend on priors and outcomes.
bool is_learning(const std::string& strategy);

// "exhaustive", "random", "model".
std::vector<std::string> strategy_names();

}  // namespace tilewright
