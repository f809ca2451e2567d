// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tuner/search/ledger.hpp"

namespace tilewright {

// Children of the fastest: levels of two parents mixed, sometimes one changed. The parents are
// the best of all that is known, so that outcomes may come late and in any order.
class GeneticStrategy : public LearningStrategy {
 public:
  explicit GeneticStrategy(SearchProblem problem);

 protected:
  std::size_t choose() override;
  void learn(const Known& known) override;

 private:
  std::size_t parent();
  std::size_t child();  // count(): not a candidate

  Neighbours neighbours_;
  std::vector<Known> parents_;  // by cost
};

}  // namespace tilewright
