// Fills with an order: offsets, permutations, correlated numbers and images in a frame of zeros.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright {
namespace {

std::vector<std::int32_t> integers_of(Fill::Kind kind, double low, double high, std::int64_t count,
                                      std::uint64_t seed = 1) {
  PlannedBuffer buffer = make_buffer("x", count, ElementType::int32);
  buffer.fill.kind = kind;
  buffer.fill.low = low;
  buffer.fill.high = high;
  return from_bytes<std::int32_t>(fill_buffer(buffer, 0, seed));
}

std::vector<double> reals_of(const Fill& fill, std::int64_t count) {
  PlannedBuffer buffer = make_buffer("x", count, ElementType::float64);
  buffer.fill = fill;
  return from_bytes<double>(fill_buffer(buffer, 0, 1));
}

TEST(FillOffsets, AscendFromTheFirstToTheLast) {
  const auto values = integers_of(Fill::Kind::offsets, 0, 5000, 1001);
  EXPECT_TRUE(std::ranges::is_sorted(values));
  EXPECT_EQ(values.front(), 0);
  EXPECT_EQ(values.back(), 5000);
  std::vector<std::int32_t> lengths(values.size());
  std::adjacent_difference(values.begin(), values.end(), lengths.begin());
  EXPECT_NE(*std::min_element(lengths.begin() + 1, lengths.end()),
            *std::max_element(lengths.begin() + 1, lengths.end()));
  EXPECT_LE(*std::max_element(lengths.begin() + 1, lengths.end()), 10);
}

TEST(FillOffsets, OfFewElements) {
  EXPECT_EQ(integers_of(Fill::Kind::offsets, 3, 7, 2), (std::vector<std::int32_t>{3, 7}));
  EXPECT_EQ(integers_of(Fill::Kind::offsets, 3, 3, 1), std::vector<std::int32_t>{3});
  EXPECT_EQ(integers_of(Fill::Kind::offsets, 0, 0, 5), std::vector<std::int32_t>(5, 0));
  EXPECT_TRUE(integers_of(Fill::Kind::offsets, 0, 0, 0).empty());
}

TEST(FillPermutation, HasEachNumberOnce) {
  for (const std::int64_t count : {1, 2, 3, 4, 5, 16, 17, 1000, 65537}) {
    SCOPED_TRACE(count);
    std::vector<std::int32_t> values = integers_of(Fill::Kind::permutation, 10, 0, count);
    const bool is_in_order = std::ranges::is_sorted(values);
    EXPECT_TRUE(count < 16 || !is_in_order);
    std::ranges::sort(values);
    std::vector<std::int32_t> all(values.size());
    std::iota(all.begin(), all.end(), 10);
    EXPECT_EQ(values, all);
  }
  EXPECT_NE(integers_of(Fill::Kind::permutation, 0, 0, 100, 1),
            integers_of(Fill::Kind::permutation, 0, 0, 100, 2));
}

double roughness(const std::vector<double>& values, std::size_t distance) {
  double sum = 0;
  for (std::size_t i = distance; i < values.size(); ++i)
    sum += std::abs(values[i] - values[i - distance]);
  return sum / static_cast<double>(values.size() - distance);
}

TEST(FillCorrelated, NeighboursAreAlike) {
  for (const Fill::Kind kind : {Fill::Kind::uniform, Fill::Kind::normal}) {
    Fill fill{.kind = kind};
    const double alone = roughness(reals_of(fill, 10000), 1);
    fill.correlation = 16;
    const std::vector<double> values = reals_of(fill, 10000);
    EXPECT_LT(roughness(values, 1), alone / 8);
    EXPECT_GT(roughness(values, 100), alone / 3);
  }
}

TEST(FillCorrelated, KeepsTheNumbersThatAreDrawn) {
  Fill fill;
  const std::vector<double> drawn = reals_of(fill, 10);
  fill.correlation = 4;
  const std::vector<double> values = reals_of(fill, 37);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(values[4 * i], drawn[i]);
  EXPECT_DOUBLE_EQ(values[2], (drawn[0] + drawn[1]) / 2);
}

TEST(FillCorrelated, InAnImageRowsAreAlikeToo) {
  constexpr std::int64_t kColumns = 100;
  Fill fill;
  const double alone = roughness(reals_of(fill, 10000), kColumns);
  fill.correlation = 16;
  EXPECT_GT(roughness(reals_of(fill, 10000), kColumns), alone / 2);
  fill.columns = kColumns;
  EXPECT_LT(roughness(reals_of(fill, 10000), kColumns), alone / 8);
  EXPECT_LT(roughness(reals_of(fill, 10000), 1), alone / 8);
}

TEST(FillBorder, IsZeroInEachImage) {
  Fill fill{.kind = Fill::Kind::constant, .low = 7};
  fill.border = 1;
  fill.rows = 3;
  fill.columns = 4;
  const std::vector<double> image = {0, 0, 0, 0, 0, 7, 7, 0, 0, 0, 0, 0};
  std::vector<double> two = image;
  two.insert(two.end(), image.begin(), image.end());
  EXPECT_EQ(reals_of(fill, 24), two);
  fill.border = 5;  // more than there is
  EXPECT_EQ(reals_of(fill, 12), std::vector<double>(12, 0));
}

}  // namespace
}  // namespace tilewright
