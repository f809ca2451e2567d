#include "tilewright/statistics.hpp"

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

TEST(MedianInterval, LeavesOutWhatTheSignTestAllows) {
  // Ranks from Conover's table of the binomial distribution: n = 10 has 2 and 9, n = 20 has 6, 15.
  EXPECT_EQ(values_below_interval(5), 0U);
  EXPECT_EQ(values_below_interval(6), 0U);
  EXPECT_EQ(values_below_interval(10), 1U);
  EXPECT_EQ(values_below_interval(20), 5U);
  EXPECT_EQ(values_below_interval(100), 39U);
  EXPECT_EQ(values_below_interval(1000), 468U);
  EXPECT_EQ(values_below_interval(1001), 468U) << "the approximation goes on from there";
  const Interval interval = median_interval({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_EQ(interval, (Interval{2, 9}));
  EXPECT_THROW(median_interval({}), std::invalid_argument);
}

TEST(RatioOf, RoundsCancelADrift) {
  // Both become slower from round to round; b is 10 % faster in each.
  const Timing a = summarise({11, 11, 22, 22, 33, 33}, 1, 0, 3);
  const Timing b = summarise({10, 10, 20, 20, 30, 30, 40, 40}, 1, 0, 4);
  const Ratio ratio = ratio_of(a, b);
  EXPECT_DOUBLE_EQ(ratio.value, 1.1);
  EXPECT_DOUBLE_EQ(ratio.interval.low, 1.1);
  EXPECT_DOUBLE_EQ(ratio.interval.high, 1.1);
}

TEST(RatioOf, WithoutRoundsTheIntervalIsTheWidest) {
  const Timing a = summarise({10, 12, 14}, 1, 0);
  const Timing b = summarise({5, 6, 8}, 1, 0);
  const Ratio ratio = ratio_of(a, b);
  EXPECT_DOUBLE_EQ(ratio.value, 2);
  EXPECT_DOUBLE_EQ(ratio.interval.low, 10.0 / 8);
  EXPECT_DOUBLE_EQ(ratio.interval.high, 14.0 / 5);
}

TEST(Summarise, IntervalOfSeveralRoundsIsThatOfTheirMedians) {
  // Within a round the samples agree; the rounds do not.
  const std::vector<double> samples = {1, 1, 1, 2, 2, 2, 3, 3, 3};
  const Timing timing = summarise(samples, 1, 0, 3);
  EXPECT_EQ(timing.rounds, 3);
  EXPECT_DOUBLE_EQ(timing.interval_low_us, 1);
  EXPECT_DOUBLE_EQ(timing.interval_high_us, 3);
  EXPECT_DOUBLE_EQ(summarise(samples, 1, 0).interval_low_us, 1);
  EXPECT_EQ(round_medians(samples, 3), (std::vector<double>{1, 2, 3}));
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
