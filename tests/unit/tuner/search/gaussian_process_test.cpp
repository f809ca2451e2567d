#include "tuner/search/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tilewright {
namespace {

// One axis with the values 0 … 10.
SearchGrid line() {
  SearchGrid grid;
  grid.axes = {{"x", {}, {}}};
  for (std::uint16_t i = 0; i <= 10; ++i) {
    grid.axes[0].labels.push_back(std::to_string(i));
    grid.axes[0].values.push_back(i);
    grid.levels.push_back(i);
  }
  return grid;
}

class OnALine : public ::testing::Test {
 protected:
  GaussianProcess process(std::vector<std::size_t> pool) const {
    return GaussianProcess(traits_,
                           usual_similarity(traits_, {.level = 1e-6, .place = 2, .noise = 1e-6}),
                           std::move(pool));
  }

  const SearchGrid grid_ = line();
  const Traits traits_{grid_};
};

// Two values: the formula can be written out.
TEST_F(OnALine, PredictsByTheTextbook) {
  GaussianProcess made = process({0, 5, 10});
  made.add(2, 1.0F);
  made.add(8, 3.0F);
  const std::vector<Prediction> predicted = made.predictions();
  const double between = std::exp(-2 * 0.6);
  const double solved = 1 / (1 - between);  // of (−1, 1): (−solved, solved)
  const double near = std::exp(-2 * 0.2);
  const double far = std::exp(-2 * 0.8);
  EXPECT_NEAR(predicted[0].mean, 2 - solved * (near - far), 1e-4);
  EXPECT_NEAR(predicted[1].mean, 2, 1e-4);
  EXPECT_NEAR(predicted[2].mean, 2 + solved * (near - far), 1e-4);
  const double scale = std::sqrt(solved);  // ½ · (−1, 1) A⁻¹ (−1, 1)ᵀ
  const double explained =
      (near * near - 2 * near * far * between + far * far) / (1 - between * between);
  EXPECT_NEAR(predicted[0].deviation, scale * std::sqrt(1 - explained), 1e-4);
  EXPECT_NEAR(predicted[0].deviation, predicted[2].deviation, 1e-5);
}

TEST_F(OnALine, IsSureOfWhatItKnows) {
  GaussianProcess made = process({2, 3});
  made.add(2, 1.0F);
  made.add(8, 3.0F);
  const std::vector<Prediction> predicted = made.predictions();
  EXPECT_NEAR(predicted[0].mean, 1, 1e-3);
  EXPECT_LT(predicted[0].deviation, 0.01);
  EXPECT_GT(predicted[1].deviation, 0.1);
}

TEST_F(OnALine, WhatIsAwaitedChangesNoMeanButIsSure) {
  GaussianProcess made = process({4, 5, 6});
  made.add(2, 1.0F);
  made.add(8, 3.0F);
  const std::vector<Prediction> before = made.predictions();
  made.add(5, std::nullopt);
  const std::vector<Prediction> after = made.predictions();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(after[i].mean, before[i].mean, 1e-5);
    EXPECT_LT(after[i].deviation, before[i].deviation);
  }
  EXPECT_LT(after[1].deviation, 0.01);
}

TEST_F(OnALine, AValueMayComeLater) {
  GaussianProcess late = process({4, 5, 6});
  late.add(2, 1.0F);
  late.add(5, std::nullopt);
  late.add(8, 3.0F);
  late.add(5, 0.5F);
  GaussianProcess ordered = process({4, 5, 6});
  for (const auto& [candidate, value] : {std::pair{8U, 3.0F}, {5U, 0.5F}, {2U, 1.0F}})
    ordered.add(candidate, value);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(late.predictions()[i].mean, ordered.predictions()[i].mean, 1e-4);
    EXPECT_NEAR(late.predictions()[i].deviation, ordered.predictions()[i].deviation, 1e-4);
  }
}

// Such as the only trial that did not fail.
TEST_F(OnALine, OneValueTellsNoSpread) {
  GaussianProcess made = process({3, 8});
  made.add(2, 1.0F);
  const std::vector<Prediction> predicted = made.predictions();
  EXPECT_GT(predicted[0].deviation, 0.1);
  EXPECT_GT(predicted[1].deviation, predicted[0].deviation);
}

TEST_F(OnALine, KnowsNothingAtFirst) {
  GaussianProcess made = process({4});
  EXPECT_EQ(made.predictions().at(0).mean, 0);
  EXPECT_TRUE(GaussianProcess().pool().empty());
}

}  // namespace
}  // namespace tilewright
