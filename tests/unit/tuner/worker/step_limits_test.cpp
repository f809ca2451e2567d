#include "tuner/worker/device_client.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

using std::chrono::milliseconds;

TEST(StepLimits, AreGenerousUntilAStepHasSucceeded) {
  EXPECT_EQ(limit_of(StepLimit{}, milliseconds(0)), milliseconds(20'000));
  EXPECT_EQ(limit_of(StepLimit{milliseconds(90'000)}, milliseconds(0)), milliseconds(90'000));
}

TEST(StepLimits, FollowTheSlowestSuccess) {
  EXPECT_EQ(limit_of(StepLimit{}, milliseconds(1)), milliseconds(5'000));
  EXPECT_EQ(limit_of(StepLimit{}, milliseconds(250)), milliseconds(5'000));
  EXPECT_EQ(limit_of(StepLimit{}, milliseconds(400)), milliseconds(8'000));
  EXPECT_EQ(limit_of(StepLimit{}, milliseconds(4'000)), milliseconds(80'000));
}

TEST(StepLimits, StayWhereTheyAreFixed) {
  const StepLimits limits = StepLimits::fixed_at(milliseconds(700));
  for (const StepLimit& limit : {limits.load, limits.verify, limits.sample})
    for (const milliseconds slowest : {milliseconds(0), milliseconds(1), milliseconds(600)})
      EXPECT_EQ(limit_of(limit, slowest), milliseconds(700));
}

}  // namespace
}  // namespace tilewright
