// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tilewright/trial.hpp"

namespace tilewright {

// Linear interpolation between order statistics (type 7 of Hyndman and Fan, 1996), q in [0, 1].
// Requires at least one value; without any it throws std::invalid_argument.
double quantile(std::vector<double> values, double q);

double median(std::vector<double> values);

// Times of single calls with their median, quartiles and minimum filled in. Requires at least
// one sample.
Timing summarise(std::vector<double> samples_us, int calls_per_sample, double sm_mhz);

}  // namespace tilewright
