#include "tuner/space/rules.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/space/example.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

class RulesTest : public ::testing::Test {
 protected:
  RulesTest() {
    implementation_.parameters = {test::parameter("A", {1, 2}, 1, "B == 1"),
                                  test::parameter("B", {0, 1}, 1), test::parameter("C", {0, 1}, 1)};
    implementation_.constraints = {test::constraint("A * N < 2000", "A is small"),
                                   test::constraint("device.sm_count > 1")};
  }

  Implementation implementation_ = test::plain();
  Problem problem_{"copy", {{"N", 1000}}};
  Device device_ = test::hopper();
};

TEST_F(RulesTest, OrdersThemByTheLastParameterThatTheyMention) {
  const Bindings bindings(implementation_, problem_, device_);
  const auto rules = make_rules(implementation_, Expression::parse("A < C"), bindings);
  ASSERT_EQ(rules.size(), 4U);
  EXPECT_EQ(rules[0].name, "device.sm_count > 1");
  EXPECT_EQ(rules[0].depth, 0U);
  EXPECT_EQ(rules[1].name, "A is small");
  EXPECT_EQ(rules[1].depth, 1U);
  EXPECT_EQ(rules[2].name, "inactive");
  EXPECT_EQ(rules[2].depth, 2U);
  EXPECT_EQ(rules[3].name, "--where");
  EXPECT_EQ(rules[3].depth, 3U);
}

TEST_F(RulesTest, AcceptsTheDefaultOfAnInactiveParameter) {
  Bindings bindings(implementation_, problem_, device_);
  const Rule rule = make_rules(implementation_, std::nullopt, bindings).at(2);
  bindings.bind(1, 0);
  bindings.bind(0, 1);
  EXPECT_TRUE(accepts(rule, implementation_, bindings));
  bindings.bind(0, 2);
  EXPECT_FALSE(accepts(rule, implementation_, bindings));
  EXPECT_EQ(describe_broken(rule, implementation_, bindings),
            "A=2 B=0 breaks active = 'B == 1' of parameter A");
  bindings.bind(1, 1);
  EXPECT_TRUE(accepts(rule, implementation_, bindings));
}

TEST_F(RulesTest, RefusesUnknownNames) {
  const Bindings bindings(implementation_, problem_, device_);
  try {
    make_rules(implementation_, Expression::parse("device.smcount > 1"), bindings);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "copy/plain: --where 'device.smcount > 1': unknown name 'device.smcount'; did "
                 "you mean 'device.sm_count'?");
  }
}

}  // namespace
}  // namespace tilewright
