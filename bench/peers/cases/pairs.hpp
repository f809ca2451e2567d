#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "tilewright/statistics.hpp"
#include "tilewright/trial.hpp"

namespace tilewright::bench {

// One side of a comparison. `run` executes a sample of `calls` calls and returns its length in
// microseconds.
struct Contender {
  int calls = 1;
  std::function<double()> run;
};

// The times of both sides. Each sample is a round of its own, so that ratio_of() compares pairs.
struct PairedTimings {
  Timing first;
  Timing second;
};

// Takes `pairs` samples of each of two contenders, alternately; every other pair is in reverse
// order. One more pair at the beginning is discarded. Requires at least one pair.
inline PairedTimings take_pairs(int pairs, const Contender& first, const Contender& second) {
  std::array<std::vector<double>, 2> samples;
  const std::array<const Contender*, 2> sides = {&first, &second};
  for (int pair = -1; pair < pairs; ++pair) {
    for (const std::size_t turn : {0U, 1U}) {
      const std::size_t side = pair % 2 == 0 ? turn : 1 - turn;
      const double sample_us = sides[side]->run();
      if (pair >= 0) samples[side].push_back(sample_us / std::max(sides[side]->calls, 1));
    }
  }
  return {summarise(std::move(samples[0]), first.calls, 0, pairs),
          summarise(std::move(samples[1]), second.calls, 0, pairs)};
}

}  // namespace tilewright::bench
