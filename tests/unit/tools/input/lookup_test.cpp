#include "tools/input/lookup.hpp"

#include <gtest/gtest.h>

#include "db/records/staleness.hpp"

namespace tilewright::tools {
namespace {

const Environment kStored = {"580.1", "13.0", "NVRTC 13.0", "0.1.0"};

BestRow stored_row() {
  BestRow row;
  row.environment = kStored;
  row.finished = 1000;
  return row;
}

TEST(Stale, OnlyOtherSoftwareMakesARowStale) {
  const BestRow row = stored_row();
  EXPECT_FALSE(is_stale(row, kStored));
  EXPECT_TRUE(is_stale(row, {"590.1", "13.0", "NVRTC 13.0", "0.1.0"}));
  EXPECT_TRUE(is_stale(row, {"580.1", "13.1", "NVRTC 13.0", "0.1.0"}));
  EXPECT_TRUE(is_stale(row, {"580.1", "13.0", "NVRTC 13.1", "0.1.0"}));
  EXPECT_FALSE(is_stale(row, {"580.1", "13.0", "NVRTC 13.0", "0.9.0"}));
}

TEST(Stale, WhatIsNotKnownHereIsNotCompared) {
  EXPECT_FALSE(is_stale(stored_row(), {}));
  EXPECT_FALSE(is_stale(stored_row(), {"", "", "NVRTC 13.0", ""}));
  EXPECT_TRUE(is_stale(stored_row(), {"", "", "NVRTC 13.1", ""}));
}

TEST(Stale, AConfirmationWithTheSoftwarePresentRenews) {
  BestRow row = stored_row();
  const Environment present = {"590.1", "13.1", "NVRTC 13.1", "0.1.0"};
  row.confirmed_environment = present;
  EXPECT_TRUE(is_stale(row, present));  // there is none
  row.confirmed = 2000;
  EXPECT_FALSE(is_stale(row, present));
  EXPECT_FALSE(is_stale(row, kStored));
  EXPECT_TRUE(is_stale(row, {"600.1", "13.1", "NVRTC 13.1", "0.1.0"}));
}

TEST(Stale, AnotherPowerLimitMakesARowStale) {
  BestRow row = stored_row();
  Environment present = kStored;
  present.power_limit_w = 700;
  EXPECT_FALSE(is_stale(row, present));  // the stored one is not known
  row.environment.power_limit_w = 400;
  EXPECT_TRUE(is_stale(row, present));
  EXPECT_EQ(why_stale(row, present), "measured at 400 W; this GPU is limited to 700 W");
  EXPECT_FALSE(is_stale(row, kStored));
  present.driver = "590.1";
  EXPECT_EQ(why_stale(row, present),
            "measured at 400 W; this GPU is limited to 700 W; the software is now driver 590.1, "
            "NVRTC 13.0");
  row.confirmed = 2000;
  row.confirmed_environment = present;
  EXPECT_EQ(why_stale(row, present), "");
}

TEST(Stale, NothingIsKnownOfADeviceThatIsNotHere) {
  Device device;
  device.name = "NVIDIA Test 9000";
  EXPECT_EQ(present_environment(device), Environment{});
  EXPECT_EQ(present_power_limit(device), std::nullopt);
}

}  // namespace
}  // namespace tilewright::tools
