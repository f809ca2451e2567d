#include "tuner/space/open_rules.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/space/example.hpp"

namespace tilewright {
namespace {

Implementation open_rules_example() {
  Implementation implementation = test::plain();
  for (const char* const name : {"A", "B", "C"})
    implementation.parameters.push_back(test::parameter(name, {1, 2}, 1));
  return implementation;
}

class OpenRulesTest : public ::testing::Test {
 protected:
  FormulaId add(const std::string& text) { return formulas_.add(Expression::parse(text).root()); }

  Implementation implementation_ = open_rules_example();
  Problem problem_{"copy", {{"N", 1000}}};
  Device device_;
  Bindings bindings_{implementation_, problem_, device_};
  Formulas formulas_{implementation_, bindings_};
};

TEST_F(OpenRulesTest, KnowsWhenRulesCloseAndWhatTheyWaitWith) {
  const std::vector<FormulaId> rules = {add("(A + 1) * B < N"), add("A * C * 2 < A + 1"),
                                        add("N > 1"), add("B == 1")};
  const OpenRules open(formulas_, rules, {0, 1, 2});
  EXPECT_EQ(open.closing(0), std::vector<std::size_t>{2});
  EXPECT_TRUE(open.closing(1).empty());
  EXPECT_EQ(open.closing(2), (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(open.closing(3), std::vector<std::size_t>{1});
  const std::vector<OpenRules::Part>& parts = open.parts(1);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].formula, add("A + 1"));
  EXPECT_EQ(parts[0].needed_by, std::vector<std::int64_t>{3});
  EXPECT_EQ(parts[1].formula, add("A"));
  EXPECT_EQ(parts[1].needed_by, std::vector<std::int64_t>{2});
  EXPECT_EQ(open.parts(2).size(), 2U);  // of rule 1
  EXPECT_TRUE(open.parts(3).empty());
  EXPECT_TRUE(open.is_news(0, 1));
  EXPECT_FALSE(open.is_news(0, 3));
  EXPECT_FALSE(open.is_news(3, 1));
  EXPECT_TRUE(open.is_news(3, 0));
}

TEST_F(OpenRulesTest, KeepsSetsOfRulesAsBits) {
  const std::vector<FormulaId> rules(130, add("A < B"));
  const OpenRules open(formulas_, rules, {0, 1, 2});
  std::vector<std::int64_t> words = open.all();
  ASSERT_EQ(words.size(), open.words());
  RuleBits bits(words.data(), words.size());
  EXPECT_TRUE(bits.has(63) && bits.has(64) && bits.has(129));
  EXPECT_TRUE(open.mention(words, 1));
  EXPECT_FALSE(open.mention(words, 2));
  bits.remove(63);
  EXPECT_FALSE(bits.has(63));
  EXPECT_TRUE(bits.has(62) && bits.has(64));
  bits.remove_from(64);
  EXPECT_TRUE(bits.has(62));
  EXPECT_FALSE(bits.has(64) || bits.has(129));
  bits.remove_from(0);
  EXPECT_FALSE(open.any(words));
}

using Order = std::vector<std::size_t>;

TEST(GreedyOrder, IsTheGivenOneWhereRulesDoNotMatter) {
  EXPECT_EQ(greedy_order({}, {}), Order{});
  EXPECT_EQ(greedy_order({4, 4, 4}, {}), (Order{0, 1, 2}));
  EXPECT_EQ(greedy_order({8, 8, 8, 8}, {{0, 1}, {1, 2}, {2, 3}}), (Order{0, 1, 2, 3}));
}

TEST(GreedyOrder, PutsSideBySideWhatRulesTieTogether) {
  EXPECT_EQ(greedy_order({8, 8, 8, 8, 8, 8}, {{0, 3}, {1, 4}, {2, 5}}), (Order{0, 3, 1, 4, 2, 5}));
}

TEST(GreedyOrder, BeginsWithFewValues) {
  EXPECT_EQ(greedy_order({50, 2, 9}, {{0, 1}, {0, 2}}), (Order{1, 2, 0}));
}

}  // namespace
}  // namespace tilewright
