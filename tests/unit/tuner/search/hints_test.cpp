#include "tuner/search/surrogate.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tilewright {
namespace {

// 100 candidates in a line; elsewhere each took e^(i/20) times as long as the first.
class HintsOfALine : public ::testing::Test {
 protected:
  HintsOfALine() {
    grid_.axes = {{"x", {}, {}}};
    for (std::uint16_t i = 0; i < 100; ++i) {
      grid_.axes[0].labels.push_back(std::to_string(i));
      grid_.axes[0].values.push_back(i);
      grid_.levels.push_back(i);
      priors_.push_back({i, std::exp(i / 20.0)});
    }
  }

  // What took a power of what it took elsewhere.
  static std::vector<Known> known(double power) {
    std::vector<Known> made;
    for (std::size_t i = 0; i < 100; i += 2)
      made.push_back({i, 3 + power * static_cast<double>(i) / 20});
    made.push_back({1, std::nullopt});
    return made;
  }

  float slope(const Hints& hints) const { return (hints.of(90) - hints.of(10)) / 4; }

  SearchGrid grid_;
  std::vector<PriorTrial> priors_;
};

TEST_F(HintsOfALine, AreWhatOthersMeasured) {
  const Features features(grid_);
  EXPECT_NEAR(slope(Hints(priors_, features)), 1, 0.1);
}

TEST_F(HintsOfALine, HoldAsFarAsTheyComeTrue) {
  const Features features(grid_);
  Hints hints(priors_, features);
  hints.weigh(known(0.5));
  EXPECT_NEAR(slope(hints), 0.54, 0.1);
  hints.weigh(known(-1));
  EXPECT_NEAR(slope(hints), 0, 1e-6);
  hints.weigh({});
  EXPECT_NEAR(slope(hints), 1, 0.1);
}

TEST_F(HintsOfALine, AreNoneWithoutATime) {
  const Features features(grid_);
  for (const std::vector<PriorTrial>& priors :
       {std::vector<PriorTrial>{}, std::vector<PriorTrial>{{1, std::nullopt}}}) {
    Hints hints(priors, features);
    hints.weigh(known(1));
    EXPECT_EQ(hints.of(50), 0);
  }
}

}  // namespace
}  // namespace tilewright
