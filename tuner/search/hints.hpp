#pragma once

#include <vector>

#include "tuner/search/features.hpp"
#include "tuner/search/forest.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright {

// The times that results of other sweeps predict, weighted by how well they predict this one.
class Hints {
 public:
  // The features must outlive it.
  Hints(const std::vector<PriorTrial>& priors, const Features& features);

  // Learns from outcomes which share of the predicted differences is real. It begins with all of it
  // and can go down to none.
  void weigh(const std::vector<Known>& known);
  // ln of the predicted time, up to a constant; 0 if there are no priors.
  float of(std::size_t candidate) const;

 private:
  float raw(std::size_t candidate) const;

  const Features& features_;
  Forest forest_;
  float variance_ = 0;  // of the priors
  float weight_ = 1;
};

}  // namespace tilewright
