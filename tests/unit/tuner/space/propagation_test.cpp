#include "tuner/space/propagation.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/tuner/space/example.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kSteps = 1'000'000;

std::vector<Value> values_below(std::int64_t count) {
  std::vector<Value> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(i);
  return values;
}

class PropagationTest : public ::testing::Test {
 protected:
  // Parameters P0, P1, … of `values` values from 0.
  void parameters(int count, std::int64_t values) {
    for (int i = 0; i < count; ++i)
      implementation_.parameters.push_back(
          test::parameter("P" + std::to_string(i), values_below(values), 0));
  }

  std::optional<Propagated> propagate(const std::vector<std::string>& rules,
                                      std::int64_t steps = kSteps) {
    const Problem problem{"copy", {}};
    const Device device;
    const Bindings bindings(implementation_, problem, device);
    Formulas formulas(implementation_, bindings);
    std::vector<FormulaId> ids;
    for (const std::string& rule : rules)
      ids.push_back(formulas.add(Expression::parse(rule).root()));
    const auto ask = [this](std::size_t, const Places&) -> std::optional<bool> {
      ++asked_;
      return std::nullopt;
    };
    return tilewright::propagate({formulas, ids, ask}, steps);
  }

  Implementation implementation_ = test::plain();
  int asked_ = 0;
};

TEST_F(PropagationTest, CountsEachCombinationForTheFirstRuleThatItBreaks) {
  parameters(3, 10);
  // The second is judged first.
  const auto found = propagate({"P0 + P2 < 4", "P0 < 5", "P1 != 3"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->broken[0].count, 1000 - 100);
  EXPECT_EQ(found->broken[1].count, 0);
  EXPECT_EQ(found->broken[2].count, 10);
  EXPECT_EQ(found->satisfying.size(), 90U);
  EXPECT_EQ(found->broken[2].example[1], 3U);
  EXPECT_EQ(asked_, 0);
}

TEST_F(PropagationTest, UnitesPrefixesThatRulesCannotTellApart) {
  parameters(18, 10);
  std::string sum = "P0";
  for (int i = 1; i < 18; ++i) sum += " + P" + std::to_string(i);
  const auto found = propagate({sum + " == 81"});  // the middle of the sums of 18 digits
  ASSERT_TRUE(found);
  EXPECT_EQ(found->broken[0].count + static_cast<std::int64_t>(found->satisfying.size()),
            1'000'000'000'000'000'000);
  EXPECT_EQ(found->satisfying.size(), 32458256583753952U);
  EXPECT_LT(found->satisfying.bytes(), 200'000U);
}

TEST_F(PropagationTest, FindsAnOrderForRulesOfDistantParameters) {
  parameters(18, 10);
  std::vector<std::string> rules;
  for (int i = 0; i < 9; ++i)
    rules.push_back("P" + std::to_string(i) + " == P" + std::to_string(9 + i));
  const auto found = propagate(rules, 3000);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->satisfying.size(), 1'000'000'000U);
  const auto total =
      std::accumulate(found->broken.begin(), found->broken.end(), std::int64_t{1'000'000'000},
                      [](std::int64_t sum, const Tally& tally) { return sum + tally.count; });
  EXPECT_EQ(total, 1'000'000'000'000'000'000);
}

TEST_F(PropagationTest, GivesUpWhereEverythingDependsOnEverything) {
  parameters(8, 10);
  std::string mixed = "P0";
  for (int i = 1; i < 8; ++i) mixed = "(" + mixed + ") * 7919 % 1000003 + P" + std::to_string(i);
  EXPECT_FALSE(propagate({mixed + " > 500000"}, 100'000));
}

TEST_F(PropagationTest, CountsWhatHasNoResultOnlyWhereNoEarlierRuleIsBroken) {
  parameters(2, 4);
  const auto met = propagate({"P0 > 0 || P1 > 1", "12 / P0 > 3"});
  ASSERT_TRUE(met);
  EXPECT_EQ(met->broken[0].count, 2);
  EXPECT_EQ(met->without_result[1].count, 2);
  EXPECT_EQ(met->without_result[1].example[0], 0U);
  EXPECT_EQ(met->satisfying.size(), 12U);
  const auto hidden = propagate({"P1 > 9 || P0 > 0", "12 / P0 > 3"});
  EXPECT_EQ(hidden->without_result[1].count, 0);
}

TEST_F(PropagationTest, TakesMoreRulesThanAWordHasBits) {
  parameters(2, 100);
  std::vector<std::string> rules;
  for (int i = 0; i < 100; ++i)
    rules.push_back("P0 != " + std::to_string(i) + " || P1 >= " + std::to_string(i));
  const auto found = propagate(rules);
  ASSERT_TRUE(found);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(found->broken[static_cast<std::size_t>(i)].count, i);
  EXPECT_EQ(found->satisfying.size(), 5050U);
}

TEST_F(PropagationTest, KnowsSpacesWithoutParametersOrRules) {
  EXPECT_EQ(propagate({})->satisfying.size(), 1U);
  EXPECT_EQ(propagate({"1 < 2"})->satisfying.size(), 1U);
  EXPECT_EQ(propagate({"1 > 2"})->broken[0].count, 1);
  EXPECT_EQ(propagate({"1 > 2"})->satisfying.size(), 0U);
  EXPECT_EQ(propagate({"1 / 0 > 2"})->without_result[0].count, 1);
  parameters(3, 10);
  EXPECT_EQ(propagate({})->satisfying.size(), 1000U);
}

}  // namespace
}  // namespace tilewright
