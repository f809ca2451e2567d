#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace tilewright {

// A candidate whose outcome is known.
struct Known {
  std::size_t candidate = 0;
  std::optional<double> cost;  // ln of the time in µs; none: it failed
};

// A failure is slower than every time.
bool is_faster(const Known& a, const Known& b);

// A strategy that learns. It keeps track of proposals, outcomes and the budget. choose() selects
// the next candidate.
class LearningStrategy : public Strategy {
 public:
  explicit LearningStrategy(SearchProblem problem);

  std::vector<std::size_t> propose(std::size_t most) override;
  void tell(std::size_t candidate, const Trial& trial) override;

 protected:
  // A candidate that is not taken; at least one exists. Here and in learn(), random() depends only
  // on the seed and on how many candidates are taken.
  virtual std::size_t choose() = 0;
  // Called after an outcome was added to known().
  virtual void learn(const Known& /*known*/) {}

  const std::vector<PriorTrial>& priors() const { return problem_.priors; }
  const SearchGrid& grid() const { return problem_.grid; }
  std::size_t count() const { return problem_.count; }
  bool is_taken(std::size_t candidate) const { return taken_[candidate]; }
  std::size_t untaken() const { return problem_.count - taken_count_; }
  const std::vector<Known>& known() const { return known_; }
  // Proposed candidates without an outcome, in the order of their proposal.
  const std::vector<std::size_t>& pending() const { return pending_; }
  // The least cost; null while nothing was measured.
  const Known* best() const;
  std::mt19937_64& random() { return random_; }
  // One that is not taken, all equally likely; at least one exists.
  std::size_t random_untaken();

 private:
  void take(std::size_t candidate);
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
  std::optional<std::size_t> best_;             // in known_
  std::map<std::string, double> cost_by_code_;  // hash → cost
};

// Iterated local search: goes from a candidate to a faster neighbour until there is none, then
// restarts from a changed copy of the best.
std::unique_ptr<Strategy> make_local_strategy(SearchProblem problem);

// Mixes the levels of two fast parents and sometimes changes one. The parents are the best of all
// that is known, because outcomes may come late and in any order.
std::unique_ptr<Strategy> make_genetic_strategy(SearchProblem problem);

}  // namespace tilewright
