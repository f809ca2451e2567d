#include "tuner/search/strategy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using Order = std::vector<std::size_t>;

Order all(Strategy& strategy, std::size_t batch) {
  Order order;
  for (Order next = strategy.propose(batch); !next.empty(); next = strategy.propose(batch)) {
    EXPECT_LE(next.size(), batch);
    order.insert(order.end(), next.begin(), next.end());
  }
  return order;
}

Order order_of(const std::string& name, const SearchProblem& problem, std::size_t batch = 3) {
  return all(*make_strategy(name, problem), batch);
}

SearchProblem problem(std::size_t count, Order first = {}, std::size_t budget = 0,
                      std::uint64_t seed = 1) {
  return {count, std::move(first), seed, budget};
}

TEST(Exhaustive, GoesInOrderAfterTheFirst) {
  EXPECT_EQ(order_of("exhaustive", problem(6)), (Order{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(order_of("exhaustive", problem(6, {4, 1, 4})), (Order{4, 1, 0, 2, 3, 5}));
  EXPECT_EQ(order_of("exhaustive", problem(0)), Order{});
}

TEST(Random, IsAPermutationThatItsSeedDecides) {
  const Order order = order_of("random", problem(1000));
  EXPECT_EQ(order.size(), 1000U);
  EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 1000U);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(order, order_of("random", problem(1000), 64));
  EXPECT_NE(order, order_of("random", problem(1000, {}, 0, 2)));
}

TEST(Random, IsTheSameWithEveryStandardLibrary) {
  EXPECT_EQ(order_of("random", problem(8)), (Order{4, 6, 3, 5, 1, 7, 2, 0}));
}

TEST(Random, ProposesEachPositionEquallyOften) {
  std::vector<int> counts(3, 0);
  for (std::uint64_t seed = 0; seed < 3000; ++seed)
    ++counts[order_of("random", problem(3, {}, 1, seed)).at(0)];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Random, PutsTheFirstFirst) {
  const Order order = order_of("random", problem(100, {7, 50}));
  EXPECT_EQ(order[0], 7U);
  EXPECT_EQ(order[1], 50U);
  EXPECT_EQ(order.size(), 100U);
}

class EveryStrategy : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryStrategy, KeepsItsBudget) {
  EXPECT_EQ(order_of(GetParam(), problem(100, {}, 7)).size(), 7U);
  EXPECT_EQ(order_of(GetParam(), problem(100, {5, 6}, 1)), Order{5});
  EXPECT_EQ(order_of(GetParam(), problem(5, {}, 7)).size(), 5U);
}

TEST_P(EveryStrategy, CountsWhatAnEarlierSweepDid) {
  const auto strategy = make_strategy(GetParam(), problem(10, {3}, 6));
  strategy->tell(3, Trial{});
  strategy->tell(8, Trial{});
  strategy->tell(8, Trial{});
  const Order order = all(*strategy, 2);
  EXPECT_EQ(order.size(), 4U);
  EXPECT_EQ(std::count(order.begin(), order.end(), 3U), 0);
  EXPECT_EQ(std::count(order.begin(), order.end(), 8U), 0);
}

TEST_P(EveryStrategy, DoesNotCountItsOwnProposalsTwice) {
  const auto strategy = make_strategy(GetParam(), problem(10, {}, 6));
  for (const std::size_t candidate : strategy->propose(3)) strategy->tell(candidate, Trial{});
  EXPECT_EQ(all(*strategy, 10).size(), 3U);
}

TEST_P(EveryStrategy, RefusesCandidatesThatDoNotExist) {
  EXPECT_THROW(make_strategy(GetParam(), problem(10))->tell(10, Trial{}), std::out_of_range);
}

INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategy, ::testing::ValuesIn(strategy_names()),
                         [](const auto& name) { return name.param; });

// Shows what a strategy knows.
class Witness : public Strategy {
 public:
  using Strategy::best;
  using Strategy::known;
  using Strategy::pending;
  using Strategy::Strategy;

 protected:
  std::size_t choose() override { return random_untaken(); }
};

Trial outcome_of(double us, std::string code, Outcome outcome = Outcome::measured) {
  Trial trial;
  trial.outcome = outcome;
  trial.code_hash = std::move(code);
  if (us > 0) trial.timing.emplace().median_us = us;
  return trial;
}

TEST(Strategy, ADuplicateHasTheOutcomeThatIsToldLater) {
  Witness witness(problem(10));
  const Order order = witness.propose(5);
  for (const std::size_t i : {1U, 3U})
    witness.tell(order[i], outcome_of(0, i == 1 ? "a" : "b", Outcome::duplicate));
  EXPECT_TRUE(witness.known().empty()) << "nobody knows yet whether these run";
  EXPECT_EQ(witness.pending(), order);
  witness.tell(order[0], outcome_of(7, "a"));
  witness.tell(order[2], outcome_of(0, "b", Outcome::launch_failed));
  ASSERT_EQ(witness.known().size(), 4U);
  EXPECT_EQ(witness.known()[1].candidate, order[1]);
  EXPECT_EQ(witness.known()[1].cost, witness.known()[0].cost);
  EXPECT_FALSE(witness.known()[3].cost) << "its code failed";
  EXPECT_EQ(witness.pending(), Order{order[4]});
  witness.tell(order[4], outcome_of(0, "a", Outcome::duplicate));
  EXPECT_EQ(witness.known()[4].cost, witness.known()[0].cost);
}

TEST(Strategy, TheBestStaysTheBestOfAllRounds) {
  Witness witness(problem(100));
  std::size_t fastest = 0;
  for (std::size_t told = 0; told < 100;) {
    for (const std::size_t candidate : witness.propose(7)) {
      if (told == 3) fastest = candidate;
      const auto outcome = told % 5 == 4 ? Outcome::wrong_answer : Outcome::measured;
      const double us = told == 3 ? 1 : 2 + static_cast<double>(told % 11);
      witness.tell(candidate, outcome_of(outcome == Outcome::measured ? us : 0, "", outcome));
      if (++told <= 3) continue;
      ASSERT_TRUE(witness.best()) << told;
      EXPECT_EQ(witness.best()->candidate, fastest) << told;
    }
  }
}

TEST(MakeStrategy, SuggestsNames) {
  try {
    make_strategy("exaustive", problem(1));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "unknown strategy 'exaustive'; did you mean 'exhaustive'?");
  }
}

}  // namespace
}  // namespace tilewright
