#include "tuner/space/configurations.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/space/example.hpp"

namespace tilewright {
namespace {

const Radix kRadix({test::parameter("B", {4, 2}, 2), test::parameter("A", {"x", "y", "z"}, "x")});

TEST(Radix, IsAMixedRadixNumber) {
  EXPECT_EQ(kRadix.configuration(5), (Configuration{{{"B", 2}, {"A", "z"}}}));
  for (Code code = 0; code < 6; ++code) EXPECT_EQ(kRadix.code(kRadix.configuration(code)), code);
  EXPECT_EQ(kRadix.place(5, 0), 1U);
  EXPECT_EQ(kRadix.place(5, 1), 2U);
}

TEST(Radix, KnowsNoOtherConfigurations) {
  EXPECT_FALSE(kRadix.code({{{"B", 3}, {"A", "z"}}}));
  EXPECT_FALSE(kRadix.code({{{"B", 2}}}));
  EXPECT_FALSE(kRadix.code({{{"B", 2}, {"C", "z"}}}));
  EXPECT_FALSE(kRadix.code({{{"A", "x"}, {"B", 2}, {"C", 1}}}));
}

TEST(Configurations, AreAListInWhichOneFindsThings) {
  const Configurations list(kRadix, {0, 2, 5});
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[1], kRadix.configuration(2));
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(list.find(list[i]), i);
  EXPECT_FALSE(list.find(kRadix.configuration(1)));
  EXPECT_TRUE(Configurations().empty());
}

TEST(Configurations, TheNearestDiffersInTheFewestParametersThenPlaces) {
  const Radix radix({test::parameter("A", {1, 2, 4}, 1), test::parameter("B", {1, 2, 4, 8}, 1)});
  const Configurations list(radix, {0, 3, 5, 10});  // of A and B: 1 1, 1 8, 2 2, 4 4
  const auto nearest = [&](int a, int b, const std::set<std::string>& free) {
    return list.nearest({{{"A", a}, {"B", b}}}, free);
  };
  EXPECT_EQ(nearest(1, 8, {}), 1u);
  EXPECT_EQ(nearest(1, 4, {"A", "B"}), 1u);  // 4 4 is two places away in one parameter
  EXPECT_EQ(nearest(1, 4, {"A"}), 3u);
  EXPECT_EQ(nearest(2, 1, {"A", "B"}), 0u);  // before 2 2, as near
  EXPECT_EQ(nearest(4, 2, {"A", "B"}), 2u);
  EXPECT_EQ(nearest(4, 2, {"B"}), 3u);
  EXPECT_EQ(nearest(2, 1, {"elsewhere"}), std::nullopt);
  EXPECT_EQ(nearest(3, 1, {"A"}), std::nullopt);  // A has no 3
}

TEST(Configurations, CanBeAListOfOne) {
  const Configuration one{{{"N", 7}, {"layout", "row"}}};
  const Configurations list(one);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0], one);
  EXPECT_EQ(list.find(one), 0U);
  EXPECT_EQ(Configurations(Configuration{})[0], Configuration{});
}

}  // namespace
}  // namespace tilewright
