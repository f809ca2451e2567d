// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <deque>

#include "tuner/search/ledger.hpp"

namespace tilewright {

// Goes from a candidate to a faster neighbour until there is none, then on from a changed copy
// of the best: iterated local search.
class LocalStrategy : public LearningStrategy {
 public:
  explicit LocalStrategy(SearchProblem problem);

 protected:
  std::size_t choose() override;
  void learn(const Known& known) override;

 private:
  void move_to(std::size_t candidate, double cost);
  std::size_t restart();

  Neighbours neighbours_;
  bool is_climbing_ = false;
  double cost_ = 0;                 // where the climb stands
  std::deque<std::size_t> around_;  // there, in the order in which they are tried
  std::size_t started_at_;          // a restart whose outcome is awaited; count(): none
};

}  // namespace tilewright
