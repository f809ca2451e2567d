#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <vector>

#include "bench/peers/cases/pairs.hpp"

namespace tilewright::bench {

// Runs the contenders in turn until the time is over. Requires at least one contender.
inline void heat(const std::vector<Contender>& contenders, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end)
    for (const Contender& contender : contenders) contender.run();
}

// The same contender, which runs alone for so long before each sample: its clock is then that of
// its own load, whoever ran before.
inline Contender with_lead_in(Contender contender, double seconds) {
  if (seconds <= 0) return contender;
  return {contender.calls, [contender, seconds] {
            heat({contender}, seconds);
            return contender.run();
          }};
}

// Microseconds of a call of each of these contenders, one after another in the given order.
inline std::vector<double> times_of_calls(const std::vector<Contender>& contenders,
                                          const std::vector<std::size_t>& order) {
  std::vector<double> times;
  for (const std::size_t i : order)
    times.push_back(contenders[i].run() / std::max(contenders[i].calls, 1));
  return times;
}

// The contenders' indices, fastest first. Each round takes one sample of each contender, and every
// other round is in reverse order: over an even number of rounds a drift of the clock cancels out.
// One more round at the beginning only decides who takes part: those that take over twice the least
// time are left out. The score is the median over the rounds of a contender's time for a call,
// divided by the round's median. Of equal scores the lower index comes first. Requires at least one
// round.
inline std::vector<std::size_t> ranked_in_rounds(int rounds,
                                                 const std::vector<Contender>& contenders) {
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.empty()) return order;
  const std::vector<double> first = times_of_calls(contenders, order);
  const double limit = 2 * *std::ranges::min_element(first);
  std::erase_if(order, [&](std::size_t i) { return first[i] > limit; });
  std::vector<std::vector<double>> shares(contenders.size());
  for (int round = 0; round < rounds; ++round) {
    std::ranges::reverse(order);
    const std::vector<double> times = times_of_calls(contenders, order);
    const double middle = median(times);
    for (std::size_t turn = 0; turn < order.size(); ++turn)
      shares[order[turn]].push_back(times[turn] / middle);
  }
  std::ranges::sort(order);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return median(shares[i]); });
  return order;
}

}  // namespace tilewright::bench
