#include "tuner/search/forest.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tilewright {
namespace {

// target = 2·x + (y < 3 ? 5 : 0), with a third feature that means nothing.
Examples examples(int side) {
  Examples all;
  all.width = 3;
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y) {
      const std::vector<float> row = {static_cast<float>(x), static_cast<float>(y),
                                      static_cast<float>((x * 7 + y * 5) % 3)};
      all.features.insert(all.features.end(), row.begin(), row.end());
      all.targets.push_back(2 * row[0] + (y < 3 ? 5.0F : 0.0F));
    }
  return all;
}

TEST(Forest, RepeatsWhatItWasShownWithLeavesOfOne) {
  const Examples shown = examples(6);
  std::mt19937_64 random(1);
  const Forest forest = Forest::fit(shown, {10, 1, 1}, random);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Prediction said = forest.predict(shown.row(i));
    EXPECT_NEAR(said.mean, shown.targets[i], 1e-4F);
    EXPECT_NEAR(said.deviation, 0, 0.02F);
  }
}

TEST(Forest, PredictsBetweenAndIsLessSureThere) {
  Examples half;
  Examples rest;
  const Examples all = examples(10);
  half.width = rest.width = all.width;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Examples& part = i % 2 == 0 ? half : rest;
    part.features.insert(part.features.end(), all.row(i).begin(), all.row(i).end());
    part.targets.push_back(all.targets[i]);
  }
  std::mt19937_64 random(3);
  const Forest forest = Forest::fit(half, {50, 1, 1}, random);
  double error = 0;
  double deviation = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const Prediction said = forest.predict(rest.row(i));
    error += std::abs(said.mean - rest.targets[i]) / static_cast<double>(rest.size());
    deviation += said.deviation / static_cast<double>(rest.size());
  }
  EXPECT_LT(error, 1.5);  // the targets' own mean deviation is above 5
  EXPECT_GT(deviation, 0.3);
}

TEST(Forest, LeavesHoldNoFewerThanAsked) {
  std::mt19937_64 random(1);
  const Examples shown = examples(3);
  const Forest forest = Forest::fit(shown, {1, shown.size(), 1}, random);
  EXPECT_EQ(forest.predict(shown.row(0)).mean, forest.predict(shown.row(8)).mean);
}

TEST(Forest, OfOneExampleOrEqualOnesIsThatExample) {
  std::mt19937_64 random(1);
  const Examples one{2, {1, 2}, {4}};
  EXPECT_EQ(Forest::fit(one, {}, random).predict(one.row(0)).mean, 4);
  const Examples equal{1, {1, 1, 1}, {3, 4, 5}};
  EXPECT_FLOAT_EQ(Forest::fit(equal, {}, random).predict(equal.row(0)).mean, 4);
}

TEST(Forest, ItsSeedDecides) {
  const Examples shown = examples(5);
  const std::vector<float> row = {2.5, 2.5, 1};
  const auto said = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    return Forest::fit(shown, {}, random).predict(row).mean;
  };
  EXPECT_EQ(said(1), said(1));
  EXPECT_NE(said(1), said(2));
}

}  // namespace
}  // namespace tilewright
