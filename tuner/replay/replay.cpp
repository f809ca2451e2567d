#include "tuner/replay/replay.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>

#include "tuner/backend/parallel.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright {
namespace {

ReplayRun run(const Record& record, const ReplayOptions& options, const SearchGrid& grid,
              double optimum_us, std::uint64_t seed) {
  ReplayRun result;
  result.seed = seed;
  const auto strategy = make_strategy(options.strategy, {.count = record.trials.size(),
                                                         .first = {},
                                                         .seed = seed,
                                                         .budget = options.budget,
                                                         .grid = grid,
                                                         .expected = record.expected});
  std::deque<std::size_t> waiting;
  double best = 0;
  while (true) {
    const auto proposed = strategy->propose(std::max<std::size_t>(1, options.batch) -
                                            std::min(options.batch, waiting.size()));
    waiting.insert(waiting.end(), proposed.begin(), proposed.end());
    if (waiting.empty()) return result;
    const Trial& trial = record.trials[waiting.front()];
    strategy->tell(waiting.front(), trial);
    waiting.pop_front();
    if (trial.outcome == Outcome::duplicate) continue;
    if (trial.timing) best = std::max(best, optimum_us / trial.timing->median_us);
    result.best.push_back(best);
  }
}

}  // namespace

double Replay::fraction(std::size_t trials, double quantile) const {
  std::vector<double> values;
  for (const ReplayRun& run : runs)
    values.push_back(
        run.best.empty() || trials == 0 ? 0 : run.best[std::min(trials, run.best.size()) - 1]);
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = quantile * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return std::lerp(values[low], values[high], place - static_cast<double>(low));
}

Replay replay(const Record& record, const ReplayOptions& options) {
  const SearchGrid grid = grid_of(record);
  const double optimum_us = best_time_us(record);
  Replay result;
  result.runs.resize(options.seeds);
  const auto start = std::chrono::steady_clock::now();
  parallel_ranges(
      static_cast<std::int64_t>(options.seeds), 1,
      [&](std::int64_t first, std::int64_t) {
        const auto i = static_cast<std::size_t>(first);
        result.runs[i] = run(record, options, grid, optimum_us, options.first_seed + i);
      },
      static_cast<std::int64_t>(options.threads));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

RandomSearch::RandomSearch(const Record& record) {
  const double best = best_time_us(record);
  for (const Trial& trial : record.trials)
    if (trial.outcome != Outcome::duplicate)
      fractions_.push_back(trial.timing ? best / trial.timing->median_us : 0);
  std::sort(fractions_.begin(), fractions_.end(), std::greater<>());
}

// A run misses all of the r fastest configurations with probability C(N − r, n) / C(N, n). The
// answer is at the first r for which that is at most `quantile`.
double RandomSearch::fraction(std::size_t trials, double quantile) const {
  const std::size_t all = fractions_.size();
  if (trials >= all) return fractions_.front();
  double missed = 1;
  for (std::size_t i = 0; i < all - trials; ++i) {
    missed *= static_cast<double>(all - trials - i) / static_cast<double>(all - i);
    if (missed <= quantile) return fractions_[i];
  }
  return fractions_[all - trials];
}

RandomSearch::Interval RandomSearch::median_of(std::size_t trials, std::size_t runs) const {
  const double half = 0.98 / std::sqrt(static_cast<double>(std::max<std::size_t>(1, runs)));
  return {fraction(trials, std::max(0.0, 0.5 - half)), fraction(trials, std::min(1.0, 0.5 + half))};
}

}  // namespace tilewright
