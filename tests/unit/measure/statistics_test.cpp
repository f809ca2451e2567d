// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tilewright {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 3.7);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
}

TEST(Quantile, OneValueIsEveryQuantile) {
  EXPECT_DOUBLE_EQ(quantile({7}, 0), 7);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.3), 7);
  EXPECT_DOUBLE_EQ(quantile({7}, 1), 7);
}

TEST(Quantile, RefusesNoValues) {
  EXPECT_THROW(quantile({}, 0.5), std::invalid_argument);
}

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_DOUBLE_EQ(median({9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(median({9, 1, 5, 6}), 5.5);
}

TEST(Median, IgnoresOneOutlier) {
  EXPECT_DOUBLE_EQ(median({10, 10, 10, 10, 1e9}), 10);
}

TEST(Summarise, FillsEveryFieldAndKeepsTheOrderTaken) {
  const Timing timing = summarise({5, 1, 4, 2, 3}, 16, 1980);
  EXPECT_EQ(timing.samples_us, (std::vector<double>{5, 1, 4, 2, 3}));
  EXPECT_DOUBLE_EQ(timing.median_us, 3);
  EXPECT_DOUBLE_EQ(timing.lower_us, 2);
  EXPECT_DOUBLE_EQ(timing.upper_us, 4);
  EXPECT_DOUBLE_EQ(timing.minimum_us, 1);
  EXPECT_EQ(timing.calls_per_sample, 16);
  EXPECT_DOUBLE_EQ(timing.sm_mhz, 1980);
}

TEST(Summarise, RefusesNoSamples) {
  EXPECT_THROW(summarise({}, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace tilewright
