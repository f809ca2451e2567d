#include "tuner/search/hints.hpp"

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
      expected_.push_back(7000 * std::exp(i / 20.0));
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

  // Of outcomes over one source's predictions, shrunk towards 1 as if by five more outcomes.
  static double shrunk_slope(const std::vector<double>& predicted, const std::vector<double>& costs,
                             double variance) {
    double mean = 0, mean_cost = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      mean += predicted[i] / static_cast<double>(costs.size());
      mean_cost += costs[i] / static_cast<double>(costs.size());
    }
    double together = 5 * variance, squares = 5 * variance;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      together += (predicted[i] - mean) * (costs[i] - mean_cost);
      squares += (predicted[i] - mean) * (predicted[i] - mean);
    }
    return together / squares;
  }

  float slope(const Hints& hints) const { return (hints.of(90) - hints.of(10)) / 4; }

  SearchGrid grid_;
  std::vector<PriorTrial> priors_;
  std::vector<double> expected_;
  const std::vector<double> none_;
};

TEST_F(HintsOfALine, AreWhatOthersMeasured) {
  const Features features(grid_);
  EXPECT_NEAR(slope(Hints(priors_, none_, features)), 1, 0.1);
}

TEST_F(HintsOfALine, HoldAsFarAsTheyComeTrue) {
  const Features features(grid_);
  Hints hints(priors_, none_, features);
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
    Hints hints(priors, none_, features);
    hints.weigh(known(1));
    EXPECT_EQ(hints.of(50), 0);
  }
}

TEST_F(HintsOfALine, OneSourceCountsByItsSlope) {
  const Features features(grid_);
  Hints hints({}, expected_, features);
  EXPECT_NEAR(slope(hints), 1, 1e-5);
  const double variance = (100.0 * 100 - 1) / 12 / 400;  // of i/20
  for (const double power : {0.2, 0.5, 0.9}) {
    std::vector<double> predicted, costs;
    for (const Known& item : known(power))
      if (item.cost) {
        predicted.push_back(static_cast<double>(item.candidate) / 20);
        costs.push_back(*item.cost);
      }
    hints.weigh(known(power));
    EXPECT_NEAR(hints.trust_in_expected(), shrunk_slope(predicted, costs, variance), 1e-4) << power;
    EXPECT_NEAR(slope(hints), hints.trust_in_expected(), 1e-4) << power;
  }
}

TEST_F(HintsOfALine, AFormulaThatIsRightIsTrustedAndAWrongOneIsNot) {
  const Features features(grid_);
  Hints hints({}, expected_, features);
  hints.weigh(known(1));
  EXPECT_NEAR(hints.trust_in_expected(), 1, 1e-4);
  hints.weigh(known(0));
  EXPECT_LT(hints.trust_in_expected(), 0.15);
  hints.weigh(known(-1));
  EXPECT_EQ(hints.trust_in_expected(), 0);
  EXPECT_EQ(hints.of(50), 0);
}

TEST_F(HintsOfALine, BesideWhatOthersMeasuredExpectedCostsMustFirstComeTrue) {
  for (PriorTrial& prior : priors_) prior.ratio = prior.candidate % 2 == 0 ? 1 : 3;
  const Features features(grid_);
  Hints hints(priors_, expected_, features);
  EXPECT_EQ(hints.trust_in_expected(), 0);
  std::vector<Known> all;  // as expected, and not as elsewhere
  for (std::size_t i = 0; i < 100; ++i) all.push_back({i, static_cast<double>(i) / 20});
  hints.weigh(all);
  EXPECT_GT(hints.trust_in_expected(), 0.9);
  EXPECT_NEAR(hints.of(51) - hints.of(50), 0.05, 0.1) << "little of what others measured is left";
}

TEST_F(HintsOfALine, OfTwoThatSayTheSameTheFirstIsEnough) {
  const Features features(grid_);
  Hints hints(priors_, expected_, features);
  hints.weigh(known(1));
  EXPECT_NEAR(slope(hints), 1, 0.1);
  EXPECT_LT(hints.trust_in_expected(), 0.5);
}

TEST_F(HintsOfALine, ACandidateOfUnknownCostCountsAsAUsualOne) {
  for (std::size_t i = 1; i < 100; i += 2) expected_[i] = 0;
  const Features features(grid_);
  Hints hints({}, expected_, features);
  EXPECT_EQ(hints.of(1), 0);
  EXPECT_EQ(hints.of(99), 0);
  EXPECT_LT(hints.of(0), 0);
  EXPECT_GT(hints.of(98), 0);
  std::vector<Known> all;
  for (std::size_t i = 0; i < 100; ++i) all.push_back({i, static_cast<double>(i) / 20});
  hints.weigh(all);
  EXPECT_GT(hints.trust_in_expected(), 0.9) << "they do not spoil what the others tell";
}

TEST_F(HintsOfALine, ExpectedCostsThatAreAllEqualSayNothing) {
  const Features features(grid_);
  for (const double cost : {0.0, 5.0, -1.0}) {
    expected_.assign(100, cost);
    Hints hints({}, expected_, features);
    EXPECT_EQ(hints.trust_in_expected(), 0);
    hints.weigh(known(1));
    EXPECT_EQ(hints.trust_in_expected(), 0);
    EXPECT_EQ(hints.of(50), 0);
  }
}

}  // namespace
}  // namespace tilewright
