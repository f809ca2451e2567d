// What a launch gives to the driver, without a device.
#include <gtest/gtest.h>

#include "tuner/cuda/launch/kernels.hpp"

namespace tilewright::cuda {
namespace {

PlannedLaunch early_launch() {
  PlannedLaunch launch;
  launch.entry = "k";
  launch.dependent_launch = true;
  return launch;
}

TEST(LaunchAttributesTest, AnOrdinaryLaunchHasNone) {
  EXPECT_EQ(launch_attributes(PlannedLaunch{}, 90).count, 0U);
}

TEST(LaunchAttributesTest, ADependentLaunchMayBeginEarlyWhereTheDeviceCan) {
  const LaunchAttributes attributes = launch_attributes(early_launch(), 90);
  ASSERT_EQ(attributes.count, 1U);
  EXPECT_EQ(attributes.list[0].id, cudaLaunchAttributeProgrammaticStreamSerialization);
  EXPECT_EQ(attributes.list[0].val.programmaticStreamSerializationAllowed, 1);
  EXPECT_EQ(launch_attributes(early_launch(), 120).count, 1U);
  EXPECT_EQ(launch_attributes(early_launch(), 89).count, 0U);
}

TEST(LaunchAttributesTest, ACooperativeLaunchSaysSo) {
  PlannedLaunch launch = early_launch();
  launch.cooperative = true;
  launch.cluster = {16, 1, 1};
  const LaunchAttributes attributes = launch_attributes(launch, 90);
  ASSERT_EQ(attributes.count, 3U);
  EXPECT_EQ(attributes.list[2].id, cudaLaunchAttributeCooperative);
  EXPECT_EQ(attributes.list[2].val.cooperative, 1);
}

TEST(LaunchAttributesTest, ClustersStandBesideIt) {
  PlannedLaunch launch = early_launch();
  launch.cluster = {2, 1, 1};
  LaunchAttributes attributes = launch_attributes(launch, 90);
  ASSERT_EQ(attributes.count, 2U);
  EXPECT_EQ(attributes.list[0].id, cudaLaunchAttributeClusterDimension);
  EXPECT_EQ(attributes.list[0].val.clusterDim.x, 2U);
  cudaLaunchConfig_t config = {};
  attributes.add_to(config);
  EXPECT_EQ(config.numAttrs, 2U);
  EXPECT_EQ(config.attrs, attributes.list.data());
  launch.cluster = {0, 1, 1};
  EXPECT_THROW(launch_attributes(launch, 90), TrialError);
}

}  // namespace
}  // namespace tilewright::cuda
