#include "tuner/space/bindings.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/space/example.hpp"

namespace tilewright {
namespace {

class BindingsTest : public ::testing::Test {
 protected:
  BindingsTest() {
    implementation_.parameters = {test::parameter("A", {1, 2}, 1),
                                  test::parameter("B", {"x", "y"}, "x")};
  }

  Implementation implementation_ = test::plain();
  Problem problem_{"copy", {{"N", 1000}}};
  Device device_ = test::hopper();
};

TEST_F(BindingsTest, FollowsWhatIsBound) {
  Bindings bindings(implementation_, problem_, device_);
  const Value* const address = bindings.find("A");
  bindings.bind(0, 2);
  bindings.bind(1, "y");
  EXPECT_EQ(*bindings.find("A"), Value{std::int64_t{2}});
  EXPECT_EQ(*bindings.find("B"), Value{"y"});
  bindings.bind(0, 7);
  EXPECT_EQ(*bindings.find("A"), Value{std::int64_t{7}});
  EXPECT_EQ(bindings.find("A"), address);
  EXPECT_EQ(canonical_json(bindings.configuration(2).values), R"({"A":7,"B":"y"})");
  EXPECT_EQ(canonical_json(bindings.configuration(1).values), R"({"A":7})");
}

TEST_F(BindingsTest, KnowsWhenEachNameHasItsValue) {
  const Bindings bindings(implementation_, problem_, device_);
  EXPECT_EQ(bindings.depth_of("N"), 0U);
  EXPECT_EQ(bindings.depth_of("device.sm_count"), 0U);
  EXPECT_EQ(bindings.depth_of("A"), 1U);
  EXPECT_EQ(bindings.depth_of("B"), 2U);
  EXPECT_EQ(*bindings.find("N"), Value{std::int64_t{1000}});
  EXPECT_EQ(*bindings.find("device.sm_count"), Value{std::int64_t{132}});
  EXPECT_EQ(bindings.find("C"), nullptr);
}

TEST_F(BindingsTest, PrefersTheProblem) {
  problem_.values["A"] = 5;
  const Bindings bindings(implementation_, problem_, device_);
  EXPECT_EQ(*bindings.find("A"), Value{std::int64_t{5}});
  EXPECT_EQ(bindings.depth_of("A"), 0U);
}

}  // namespace
}  // namespace tilewright
