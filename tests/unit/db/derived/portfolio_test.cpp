#include "db/derived/portfolio.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace tilewright {
namespace {

// By configuration and problem; 0: not measured.
PortfolioWish wish_of(const std::vector<std::vector<double>>& ratios, double within = 0.03) {
  PortfolioWish wish;
  wish.problems = ratios.empty() ? 0 : ratios.front().size();
  wish.within = within;
  for (const auto& row : ratios) {
    wish.times.emplace_back();
    for (std::size_t p = 0; p < row.size(); ++p)
      if (row[p] > 0) wish.times.back().push_back({p, row[p]});
  }
  return wish;
}

TEST(Portfolio, OneServesAllWhereItCan) {
  const ChosenPortfolio chosen =
      choose_portfolio(wish_of({{1.0, 1.2, 1.1}, {1.02, 1.01, 1.03}, {1.3, 1.0, 1.0}}));
  EXPECT_EQ(chosen.configurations, std::vector<std::size_t>{1});
  EXPECT_EQ(chosen.served(), 3U);
  EXPECT_TRUE(chosen.is_fewest);
  EXPECT_NEAR(chosen.ratios.at(2), 1.03, 1e-12);
}

TEST(Portfolio, FewerThanTheGreedyChoiceWhereThatIsPossible) {
  // The first is greedy's; the other two are enough without it.
  const ChosenPortfolio chosen =
      choose_portfolio(wish_of({{1, 1, 0, 1, 1, 0}, {1, 1, 1, 0, 0, 0}, {0, 0, 0, 1, 1, 1}}, 0.03));
  EXPECT_EQ(chosen.configurations, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(chosen.needed, 2U);
  EXPECT_TRUE(chosen.is_fewest);
}

TEST(Portfolio, OfEqualNumbersTheLeastLoss) {
  const ChosenPortfolio chosen = choose_portfolio(wish_of({{1.02, 1.02}, {1.0, 1.01}}));
  EXPECT_EQ(chosen.configurations, std::vector<std::size_t>{1});
  // Also where a set that holds more of the problems has the greater loss.
  const ChosenPortfolio two = choose_portfolio(
      wish_of({{1.02, 1.02, 0}, {1.03, 1.03, 1.03}, {0, 0, 1.0}, {1.0, 1.0, 0}}, 0.025));
  EXPECT_EQ(two.configurations, (std::vector<std::size_t>{3, 2}));
}

TEST(Portfolio, SaysWhatIsNotServed) {
  const ChosenPortfolio chosen = choose_portfolio(wish_of({{1.0, 0, 1.5}, {1.0, 0, 1.4}}));
  EXPECT_EQ(chosen.configurations, std::vector<std::size_t>{0});
  EXPECT_EQ(chosen.served(), 1U);
  EXPECT_FALSE(chosen.serving.at(1));
  EXPECT_EQ(chosen.ratios.at(2), 0);
  EXPECT_EQ(choose_portfolio(wish_of({})).served(), 0U);
  EXPECT_EQ(choose_portfolio(wish_of({{}, {}})).configurations.size(), 0U);
}

TEST(Portfolio, KeepsToTheNumberAllowed) {
  PortfolioWish wish = wish_of({{1, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}});
  wish.at_most = 2;
  const ChosenPortfolio chosen = choose_portfolio(wish);
  EXPECT_EQ(chosen.configurations, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(chosen.served(), 3U);
  EXPECT_EQ(chosen.needed, 3U);
}

// The least number of configurations that serve all that can be served.
std::size_t fewest_by_force(const PortfolioWish& wish) {
  std::vector<unsigned> sets;
  unsigned all = 0;
  for (const auto& times : wish.times) {
    sets.push_back(0);
    for (const TimedPair& pair : times)
      if (pair.ratio <= 1 + wish.within) sets.back() |= 1U << pair.problem;
    all |= sets.back();
  }
  int fewest = 32;
  for (unsigned choice = 0; choice < 1U << sets.size(); ++choice) {
    unsigned covered = 0;
    for (std::size_t i = 0; i < sets.size(); ++i)
      if ((choice >> i & 1U) != 0) covered |= sets[i];
    if (covered == all) fewest = std::min(fewest, std::popcount(choice));
  }
  return static_cast<std::size_t>(fewest);
}

TEST(Portfolio, IsTheFewestThatTryingAllChoicesFinds) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> ratio(1.0, 1.08);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<double>> ratios(11, std::vector<double>(9));
    for (auto& row : ratios)
      for (double& one : row) one = random() % 3 == 0 ? 0 : ratio(random);
    PortfolioWish wish = wish_of(ratios);
    wish.at_most = 11;
    const ChosenPortfolio chosen = choose_portfolio(wish);
    ASSERT_TRUE(chosen.is_fewest);
    ASSERT_EQ(chosen.configurations.size(), fewest_by_force(wish)) << "round " << round;
    for (std::size_t p = 0; p < wish.problems; ++p) {
      if (!chosen.serving[p]) continue;
      const double served = ratios[chosen.configurations[*chosen.serving[p]]][p];
      ASSERT_NEAR(served, chosen.ratios[p], 1e-12);
      ASSERT_LE(served, 1.03);
    }
  }
}

TEST(Portfolio, ManyConfigurationsTakeNoTime) {
  std::mt19937 random(3);
  std::vector<std::vector<double>> ratios(3000, std::vector<double>(40));
  for (auto& row : ratios)
    for (double& one : row) one = random() % 10 < 2 ? 1.01 : 1.5;
  const ChosenPortfolio chosen = choose_portfolio(wish_of(ratios));
  EXPECT_LE(chosen.configurations.size(), 8U);
  EXPECT_EQ(choose_portfolio(wish_of(ratios)).configurations, chosen.configurations);
}

}  // namespace
}  // namespace tilewright
