#include "db/exchange/difference.hpp"

#include <gtest/gtest.h>

#include "tests/unit/db/samples.hpp"

namespace tilewright {
namespace {

BestRow row(std::int64_t size, std::int64_t width, double median_us) {
  BestRow row;
  row.implementation = "gemm/tiled";
  row.trial = test::measured(width, median_us);
  row.configuration = row.trial.configuration;
  row.problem = test::cube(size);
  row.device = test::h200();
  row.environment = test::environment();
  return row;
}

TEST(Difference, EqualRowsAreTheSame) {
  const RowDifference none =
      difference_of({row(512, 16, 10), row(64, 8, 2)}, {row(64, 8, 2), row(512, 16, 10)});
  EXPECT_EQ(none.same, 2U);
  EXPECT_TRUE(none.changes.empty());
  EXPECT_TRUE(none.software.empty());
}

TEST(Difference, ATimeMovesOnlyBeyondItsIntervals) {
  // the samples' interval is from the median to 0.1 % above it
  const RowDifference within = difference_of({row(512, 16, 10)}, {row(512, 16, 10.005)});
  EXPECT_EQ(within.same, 1U);
  const RowDifference beyond = difference_of({row(512, 16, 10)}, {row(512, 16, 12)});
  ASSERT_EQ(beyond.changes.size(), 1U);
  EXPECT_TRUE(beyond.changes.front().has_other_time);
  EXPECT_FALSE(beyond.changes.front().has_other_winner);
  EXPECT_DOUBLE_EQ(beyond.changes.front().ratio, 1.2);
}

TEST(Difference, AnotherConfigurationIsAnotherWinner) {
  const RowDifference other = difference_of({row(512, 16, 10)}, {row(512, 32, 10)});
  ASSERT_EQ(other.changes.size(), 1U);
  EXPECT_TRUE(other.changes.front().has_other_winner);
  EXPECT_FALSE(other.changes.front().has_other_time);
}

TEST(Difference, WhatOneSideLacksIsOnTheOther) {
  BestRow cold = row(512, 16, 10);
  cold.policy.cache = CachePolicy::cold;
  const RowDifference sides = difference_of({row(512, 16, 10)}, {cold});
  ASSERT_EQ(sides.changes.size(), 2U);
  EXPECT_EQ(sides.same, 0U);
  for (const RowChange& change : sides.changes) EXPECT_TRUE(change.is_one_sided());
}

TEST(Difference, OtherSoftwareIsToldWithoutBeingAChange) {
  BestRow later = row(512, 16, 10);
  later.environment.driver = "590.1";
  const RowDifference difference = difference_of({row(512, 16, 10)}, {later});
  EXPECT_TRUE(difference.changes.empty());
  ASSERT_EQ(difference.software.size(), 1U);
  EXPECT_EQ(difference.software.front().second.front().driver, "590.1");
}

}  // namespace
}  // namespace tilewright
