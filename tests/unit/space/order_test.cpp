// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/space/order.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

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
