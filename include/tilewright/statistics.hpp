// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tilewright/trial.hpp"

namespace tilewright {

// Statistics of samples; docs/measurement.md gives the reasons. All functions throw
// std::invalid_argument if there is no value.

struct Interval {
  double low = 0;
  double high = 0;

  bool operator==(const Interval&) const = default;
};

// q is in [0, 1]. Interpolates linearly between order statistics (type 7 of Hyndman and Fan, 1996).
inline double quantile(std::vector<double> values, double q) {
  if (values.empty()) throw std::invalid_argument("a quantile needs at least one value");
  std::sort(values.begin(), values.end());
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

// How many of the smallest of n values lie below the 95 % interval of their median. It is the
// sign test's interval (Conover, Practical Nonparametric Statistics, 1999, §3.2): the largest k for
// which n tosses of a coin give at most k heads with a probability of at most 2.5 %. 0 for fewer
// than six values.
inline std::size_t values_below_interval(std::size_t n) {
  constexpr double kTail = 0.025;
  const auto count = static_cast<double>(n);
  if (n > 1000)  // normal approximation
    return static_cast<std::size_t>(count / 2 - 0.98 * std::sqrt(count) - 1);
  double probability = std::pow(0.5, count);  // of exactly k
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    sum += probability;
    if (sum > kTail) return k == 0 ? 0 : k - 1;
    probability *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return 0;
}

// 95 % interval of the median, whatever the distribution. For fewer than six values it is the whole
// range, which holds the median with a lower probability.
inline Interval median_interval(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("an interval needs at least one value");
  std::sort(values.begin(), values.end());
  const std::size_t outside = values_below_interval(values.size());
  return {values[outside], values[values.size() - 1 - outside]};
}

// The median of each round. The samples are ordered by round, and rounds have equal lengths.
inline std::vector<double> round_medians(const std::vector<double>& samples, int rounds) {
  const std::size_t count = rounds > 0 ? static_cast<std::size_t>(rounds) : 1;
  const std::size_t each = samples.size() / count;
  std::vector<double> medians;
  for (std::size_t i = 0; each > 0 && i < count; ++i) {
    const auto first = samples.begin() + static_cast<std::ptrdiff_t>(i * each);
    medians.push_back(median({first, first + static_cast<std::ptrdiff_t>(each)}));
  }
  return medians;
}

// The Timing of these samples. If there are several rounds, the interval is that of the rounds'
// medians, because samples of one round are not independent.
inline Timing summarise(std::vector<double> samples_us, int calls_per_sample, double sm_mhz,
                        int rounds = 1) {
  Timing timing;
  timing.median_us = median(samples_us);
  const Interval interval =
      median_interval(rounds > 1 ? round_medians(samples_us, rounds) : samples_us);
  timing.interval_low_us = std::min(interval.low, timing.median_us);
  timing.interval_high_us = std::max(interval.high, timing.median_us);
  timing.lower_us = quantile(samples_us, 0.25);
  timing.upper_us = quantile(samples_us, 0.75);
  timing.minimum_us = *std::min_element(samples_us.begin(), samples_us.end());
  timing.samples_us = std::move(samples_us);
  timing.calls_per_sample = calls_per_sample;
  timing.rounds = rounds;
  timing.sm_mhz = sm_mhz;
  return timing;
}

// How many times as long one takes as another.
struct Ratio {
  double value = 1;
  Interval interval;  // 95 %

  bool operator==(const Ratio&) const = default;
};

// a ÷ b. If both were measured in rounds, it is the median of the ratios in the rounds that both
// have, because these were interleaved and a drift of the machine cancels out. Else it is the ratio
// of the medians, with the widest interval that theirs allow.
inline Ratio ratio_of(const Timing& a, const Timing& b) {
  if (a.rounds < 2 || b.rounds < 2)
    return {a.median_us / b.median_us,
            {a.interval_low_us / b.interval_high_us, a.interval_high_us / b.interval_low_us}};
  std::vector<double> ratios = round_medians(a.samples_us, a.rounds);
  const std::vector<double> below = round_medians(b.samples_us, b.rounds);
  ratios.resize(std::min(ratios.size(), below.size()));
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] /= below[i];
  return {median(ratios), median_interval(ratios)};
}

// The times of one configuration: one for each policy that it was measured under, in the same order
// as those of the configurations that it is compared with.
using Times = std::vector<const Timing*>;

inline Times present_times(const std::optional<Timing>& timing,
                           const std::optional<Timing>& warm_timing) {
  Times times;
  for (const auto* one : {&timing, &warm_timing})
    if (*one) times.push_back(&**one);
  return times;
}

inline Times times_of(const Trial& trial) {
  return present_times(trial.timing, trial.warm_timing);
}

// One number for a trial: the median, or if it has times under two policies the geometric mean of
// both. 0: not measured.
inline double mean_time_us(const Trial& trial) {
  if (!trial.timing) return 0;
  const double median_us = trial.timing->median_us;
  return trial.warm_timing ? std::sqrt(median_us * trial.warm_timing->median_us) : median_us;
}

// a ÷ b under the policy where that is greatest. Here and below both have the first policy, and
// policies that only one of them has are ignored.
inline Ratio worst_ratio(const Times& a, const Times& b) {
  Ratio worst = ratio_of(*a.at(0), *b.at(0));
  for (std::size_t i = 1; i < std::min(a.size(), b.size()); ++i)
    if (const Ratio ratio = ratio_of(*a[i], *b[i]); ratio.value > worst.value) worst = ratio;
  return worst;
}

// How far one is behind the fastest under its worse policy; 1: nobody is faster under any.
inline double behind(const Times& one, const Times& fastest) {
  return std::max(1.0, worst_ratio(one, fastest).value);
}

// The geometric mean of the policies' ratios a ÷ b. Of two configurations, the one with the lower
// mean has the lower ratio to the faster of both under its worse policy. The interval is at least
// as wide as it must be.
inline Ratio mean_ratio(const Times& a, const Times& b) {
  const std::size_t count = std::min(a.size(), b.size());
  Ratio mean{1, {1, 1}};
  for (std::size_t i = 0; i < count; ++i) {
    const Ratio ratio = ratio_of(*a[i], *b[i]);
    mean.value *= ratio.value;
    mean.interval.low *= ratio.interval.low;
    mean.interval.high *= ratio.interval.high;
  }
  for (double* value : {&mean.value, &mean.interval.low, &mean.interval.high})
    *value = std::pow(*value, 1 / static_cast<double>(count));
  return mean;
}

// The least time of each policy that all have, which may be of different configurations. Those of
// `dropped` have fewer rounds; with two policies one of them may be the fastest under one. It is
// compared in the rounds that it has.
inline Times fastest_times(const std::vector<Times>& all, const std::vector<Times>& dropped = {}) {
  Times fastest;
  for (const Times& one : all) {
    if (fastest.empty()) fastest = one;
    fastest.resize(std::min(fastest.size(), one.size()));
    for (std::size_t i = 0; i < fastest.size(); ++i)
      if (one[i]->median_us < fastest[i]->median_us) fastest[i] = one[i];
  }
  if (fastest.size() < 2) return fastest;
  for (const Times& one : dropped)
    for (std::size_t i = 0; i < std::min(fastest.size(), one.size()); ++i)
      if (ratio_of(*one[i], *fastest[i]).value < 1) fastest[i] = one[i];
  return fastest;
}

}  // namespace tilewright
