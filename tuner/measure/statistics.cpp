// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace tilewright {
namespace {

double quantile_of_sorted(const std::vector<double>& values, double q) {
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return values[below] + fraction * (values[above] - values[below]);
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  if (values.empty()) throw std::invalid_argument("a quantile needs at least one value");
  std::sort(values.begin(), values.end());
  return quantile_of_sorted(values, q);
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

Timing summarise(std::vector<double> samples_us, int calls_per_sample, double sm_mhz) {
  if (samples_us.empty()) throw std::invalid_argument("a timing needs at least one sample");
  std::vector<double> sorted = samples_us;
  std::sort(sorted.begin(), sorted.end());
  Timing timing;
  timing.median_us = quantile_of_sorted(sorted, 0.5);
  timing.lower_us = quantile_of_sorted(sorted, 0.25);
  timing.upper_us = quantile_of_sorted(sorted, 0.75);
  timing.minimum_us = sorted.front();
  timing.samples_us = std::move(samples_us);
  timing.calls_per_sample = calls_per_sample;
  timing.sm_mhz = sm_mhz;
  return timing;
}

}  // namespace tilewright
