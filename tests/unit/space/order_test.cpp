// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/space/order.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

using Order = std::vector<std::size_t>;

TEST(BindingOrder, KeepsTheGivenOneWhereItIsGoodEnough) {
  EXPECT_EQ(binding_order({}, {}), Order{});
  EXPECT_EQ(binding_order({4, 4, 4}, {}), (Order{0, 1, 2}));
  EXPECT_EQ(binding_order({8, 8, 8, 8}, {{0, 1}, {1, 2}, {2, 3}}), (Order{0, 1, 2, 3}));
}

TEST(BindingOrder, PutsSideBySideWhatRulesTieTogether) {
  const Order order = binding_order({8, 8, 8, 8, 8, 8}, {{0, 3}, {1, 4}, {2, 5}});
  ASSERT_EQ(order.size(), 6U);
  for (std::size_t i = 0; i < 6; i += 2)
    EXPECT_EQ(std::max(order[i], order[i + 1]) - std::min(order[i], order[i + 1]), 3U);
}

}  // namespace
}  // namespace tilewright
