#include "tuner/space/key_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tilewright {
namespace {

TEST(KeyTable, NumbersKeysInTheOrderOfTheirArrival) {
  KeyTable table;
  std::map<std::vector<std::int64_t>, std::uint32_t> expected;
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::int64_t> key(random() % 4);
    for (std::int64_t& number : key) number = static_cast<std::int64_t>(random() % 20) - 10;
    const auto next = static_cast<std::uint32_t>(expected.size());
    const auto known = expected.emplace(key, next).first;
    ASSERT_EQ(table.number_of(key), known->second);
    ASSERT_EQ(table.size(), expected.size());
  }
  EXPECT_GT(expected.size(), 3000U);
}

}  // namespace
}  // namespace tilewright
