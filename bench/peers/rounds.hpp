#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <vector>

#include "bench/peers/pairs.hpp"

namespace tilewright::bench {

// Runs the contenders in turn until the time is over. Requires at least one contender.
inline void heat(const std::vector<Contender>& contenders, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end)
    for (const Contender& contender : contenders) contender.run();
}

// The contenders' indices, fastest first. Each round takes one sample of each contender, and every
// other round is in reverse order: over an even number of rounds a drift of the clock cancels out.
// One more round at the beginning is discarded. The score is the median over the rounds of a
// contender's time for a call, divided by the round's median. Of equal scores the lower index comes
// first. Requires at least one round.
inline std::vector<std::size_t> ranked_in_rounds(int rounds,
                                                 const std::vector<Contender>& contenders) {
  std::vector<std::vector<double>> shares(contenders.size());
  for (int round = -1; round < rounds; ++round) {
    std::vector<double> times(contenders.size());
    for (std::size_t turn = 0; turn < times.size(); ++turn) {
      const std::size_t i = round % 2 == 0 ? turn : times.size() - 1 - turn;
      times[i] = contenders[i].run() / std::max(contenders[i].calls, 1);
    }
    if (round < 0 || times.empty()) continue;
    const double middle = median(times);
    for (std::size_t i = 0; i < times.size(); ++i) shares[i].push_back(times[i] / middle);
  }
  std::vector<double> scores;
  for (std::vector<double>& one : shares) scores.push_back(median(std::move(one)));
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return scores[i]; });
  return order;
}

}  // namespace tilewright::bench
