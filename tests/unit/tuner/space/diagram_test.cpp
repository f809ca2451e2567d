#include "tuner/space/diagram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace tilewright {
namespace {

using Level = Diagram::Level;

// Three places of three values; code = 9 a + 3 b + c. Node 0 of the second level wants c = b,
// node 1 leads nowhere, node 2 is as node 0.
Diagram example_diagram() {
  Level a{9, 3, {{0, 0}, {9, 1}, {18, 2}}, {3}};
  Level b{3, 3, {{0, 0}, {3, 1}, {6, 2}, {0, 3}, {0, 0}, {3, 1}, {6, 2}}, {3, 4, 7}};
  Level c{1, 3, {{0, 0}, {1, 0}, {2, 0}}, {1, 2, 3, 3}};
  return Diagram({a, b, c});
}

const std::vector<Code> kCodes = {0, 4, 8, 18, 22, 26};

TEST(Diagram, ListsAndCounts) {
  EXPECT_EQ(example_diagram().size(), 6U);
  EXPECT_EQ(example_diagram().codes(), kCodes);
}

TEST(Diagram, ListsAscendingWhateverTheOrderOfItsLevels) {
  const Level low{1, 3, {{0, 0}, {1, 1}, {2, 2}}, {3}};
  const Level high{3, 3, {{0, 0}, {3, 0}, {6, 0}}, {1, 2, 3}};
  EXPECT_EQ(Diagram({low, high}).codes(), (std::vector<Code>{0, 4, 8}));
}

TEST(Diagram, KnowsItsMembers) {
  const Diagram diagram = example_diagram();
  for (Code code = 0; code < 27; ++code)
    EXPECT_EQ(diagram.contains(code), std::ranges::find(kCodes, code) != kCodes.end()) << code;
}

TEST(Diagram, UnitesEqualNodes) {
  Level last{1, 2, {}, {}};
  Level first{2, 100, {}, {100}};
  for (std::uint32_t i = 0; i < 100; ++i) {
    first.edges.push_back({Code{2} * i, i});
    last.edges.push_back({i % 2, 0});
    last.ends.push_back(last.edges.size());
  }
  const Diagram diagram({first, last});
  EXPECT_EQ(diagram.size(), 100U);
  EXPECT_LT(diagram.bytes(), 102 * sizeof(Diagram::Edge) + 64);
}

TEST(Diagram, CanBeEmptyOrOfNoParameters) {
  EXPECT_EQ(Diagram({Level{1, 2, {}, {0}}}).size(), 0U);
  EXPECT_TRUE(Diagram({Level{1, 2, {}, {}}}).codes().empty());
  EXPECT_FALSE(Diagram({Level{1, 2, {}, {0}}}).contains(0));
  EXPECT_EQ(Diagram(std::vector<Level>{}).codes(), std::vector<Code>{0});
}

TEST(Diagram, SamplesWithoutPreference) {
  const Diagram diagram = example_diagram();
  EXPECT_EQ(diagram.sample(6, 1), kCodes);
  EXPECT_EQ(diagram.sample(3, 7), diagram.sample(3, 7));
  std::map<std::vector<Code>, int> seen;
  for (std::uint64_t seed = 0; seed < 15000; ++seed) ++seen[diagram.sample(2, seed)];
  ASSERT_EQ(seen.size(), 15U);  // pairs of six
  for (const auto& [codes, times] : seen) {
    EXPECT_GT(times, 1000 - 155) << codes[0] << ", " << codes[1];  // five standard deviations
    EXPECT_LT(times, 1000 + 155) << codes[0] << ", " << codes[1];
  }
}

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
