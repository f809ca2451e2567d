// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tuner/search/features.hpp"
#include "tuner/search/forest.hpp"
#include "tuner/search/ledger.hpp"

namespace tilewright {

// What other sweeps make one expect of a candidate, as far as that holds here.
class Hints {
 public:
  // The features must outlive it.
  Hints(const std::vector<PriorTrial>& priors, const Features& features);

  // Learns from outcomes how much of the difference that is expected comes true: all of it at
  // first, down to none.
  void weigh(const std::vector<Known>& known);
  // ln of the expected time, up to a constant; 0 if there are no priors.
  float of(std::size_t candidate) const;

 private:
  float raw(std::size_t candidate) const;

  const Features& features_;
  Forest forest_;
  float variance_ = 0;  // of the priors
  float weight_ = 1;
};

}  // namespace tilewright
