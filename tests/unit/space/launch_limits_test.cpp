// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/space/launch_limits.hpp"

#include <gtest/gtest.h>

#include "tests/unit/space/example.hpp"

namespace tilewright {
namespace {

class LaunchLimitsTest : public ::testing::Test {
 protected:
  LaunchLimitsTest() {
    implementation_.parameters = {testing::parameter("X", {1, 2, 4}, 1),
                                  testing::parameter("Y", {0, 1, 2, 4}, 1),
                                  testing::parameter("UNROLL", {1, 2}, 1)};
    implementation_.launches[0].block[0] = Expression::parse("X * Y");
  }

  // How often the limits had to be asked for these values.
  int asked(LaunchLimits& limits, const std::vector<std::vector<std::int64_t>>& values) {
    int asked = 0;
    for (const auto& one : values) {
      const std::int64_t threads = one[0] * one[1];
      const auto& broken = limits.violation(one, [&]() -> std::optional<Violation> {
        ++asked;
        if (threads < 4) return std::nullopt;
        return Violation{"threads", std::to_string(threads)};
      });
      EXPECT_EQ(broken.has_value(), threads >= 4);
      if (broken) {
        EXPECT_EQ(broken->message, std::to_string(threads));
      }
    }
    return asked;
  }

  Implementation implementation_ = testing::plain();
  Problem problem_{"copy", {{"N", 1000}}};
  Device device_ = testing::hopper();
};

TEST_F(LaunchLimitsTest, AsksOnceForEqualLaunches) {
  const Bindings bindings(implementation_, problem_, device_);
  Formulas formulas(implementation_, bindings);
  LaunchLimits limits(testing::copy(), implementation_, formulas);
  EXPECT_EQ(limits.parameters(), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(asked(limits, {{1, 2, 1}, {2, 1, 1}, {2, 2, 1}, {4, 1, 1}, {1, 4, 2}, {4, 2, 1}}), 3);
}

TEST_F(LaunchLimitsTest, TakesAllThatALaunchDependsOn) {
  Launch& launch = implementation_.launches[0];
  launch.arguments.push_back({LaunchArgument::Kind::argument, "UNROLL", {}, ElementType::int32});
  const Bindings bindings(implementation_, problem_, device_);
  Formulas formulas(implementation_, bindings);
  LaunchLimits limits(testing::copy(), implementation_, formulas);
  EXPECT_EQ(limits.parameters(), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(asked(limits, {{1, 2, 1}, {2, 1, 1}, {2, 1, 2}}), 2);
}

TEST_F(LaunchLimitsTest, AsksEachTimeWhereANumberIsMissing) {
  implementation_.estimate.registers = Expression::parse("X / Y");
  const Bindings bindings(implementation_, problem_, device_);
  Formulas formulas(implementation_, bindings);
  LaunchLimits limits(testing::copy(), implementation_, formulas);
  EXPECT_EQ(asked(limits, {{1, 0, 1}, {1, 0, 1}, {1, 1, 1}, {1, 1, 1}}), 3);
}

}  // namespace
}  // namespace tilewright
