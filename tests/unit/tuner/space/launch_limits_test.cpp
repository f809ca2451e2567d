#include "tuner/space/limits.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/space/example.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

Implementation limits_example() {
  Implementation implementation = test::plain();
  implementation.parameters = {
      test::parameter("X", {16, 32, 64}, 16), test::parameter("UNROLL", {1, 2}, 1),
      test::parameter("Y", {16, 32}, 16), test::parameter("SECOND", {0, 1}, 0)};
  implementation.launches[0].block = {Expression::parse("X"), Expression::parse("Y"),
                                      Expression{1}};
  return implementation;
}

class LaunchLimitsTest : public ::testing::Test {
 protected:
  // Every configuration against the limits asked for it alone; how many were judged.
  std::size_t judged() {
    const Radix radix(implementation_.parameters);
    Bindings bindings(implementation_, problem_, device_);
    Bindings alone(implementation_, problem_, device_);
    LaunchLimits limits(operation_, implementation_, device_, radix, bindings);
    for (Code code = 0; code < 24; ++code) {
      LaunchLimits fresh(operation_, implementation_, device_, radix, alone);
      const std::optional<Violation>& expected = fresh.violation(code);
      const std::optional<Violation>& found = limits.violation(code);
      EXPECT_EQ(found.has_value(), expected.has_value());
      if (found && expected) {
        EXPECT_EQ(found->rule + found->message, expected->rule + expected->message);
      }
    }
    return limits.judged();
  }

  const Operation operation_ = test::copy();
  Implementation implementation_ = limits_example();
  Problem problem_{"copy", {{"N", 1000}}};
  Device device_ = test::hopper();
};

TEST_F(LaunchLimitsTest, JudgesOnceWhatIsEqualInAllThatLaunchesDependOn) {
  EXPECT_EQ(judged(), 6U);
}

// The second launch is there for one X only; what it depends on is asked for there first.
TEST_F(LaunchLimitsTest, LearnsLateWhatElseMatters) {
  Launch second = implementation_.launches[0];
  second.when = Expression::parse("X == 64 && SECOND == 1");
  second.shared_bytes = Expression::parse("UNROLL * 200000");
  implementation_.launches.push_back(second);
  EXPECT_GT(judged(), 6U);
}

TEST_F(LaunchLimitsTest, NamesTheConfigurationWhoseLaunchCannotBePlanned) {
  implementation_.launches[0].shared_bytes = Expression::parse("16 - X");
  try {
    judged();
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "copy/plain: shared_bytes of launch 'copy' is -16; it must be at least 0, for "
                 "SECOND=0 UNROLL=1 X=32 Y=16");
  }
}

}  // namespace
}  // namespace tilewright
