#pragma once

#include <array>
#include <vector>

#include "tuner/search/features.hpp"
#include "tuner/search/forest.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright {

// What is known of candidates before they are measured: what results of other sweeps predict, and
// what they are expected to cost (SearchProblem::expected). Each counts for as much as it turns out
// to explain.
class Hints {
 public:
  // All must outlive it.
  Hints(const std::vector<PriorTrial>& priors, const std::vector<double>& expected,
        const Features& features);

  // Learns from outcomes which share of each one's predicted differences is real. It begins with
  // all of the first that there is, and can go down to none.
  void weigh(const std::vector<Known>& known);
  // ln of the predicted time, up to a constant; 0 if nothing is known. A candidate of which nobody
  // says what it costs counts as a usual one.
  float of(std::size_t candidate) const;
  // The share of expected costs, from 0 to 1.
  float trust_in_expected() const { return sources_[kExpected].weight; }

 private:
  static constexpr std::size_t kPriors = 0;
  static constexpr std::size_t kExpected = 1;
  struct Source {
    float variance = 0;  // of its predictions; 0: there are none
    float first_weight = 0;
    float weight = 0;
  };

  std::array<float, 2> raw(std::size_t candidate) const;
  void add_priors(const std::vector<PriorTrial>& priors);
  void add_expected();

  const Features& features_;
  const std::vector<double>& expected_;
  Forest forest_;
  float usual_expected_ = 0;  // the mean of the logarithms
  std::array<Source, 2> sources_;
};

}  // namespace tilewright
