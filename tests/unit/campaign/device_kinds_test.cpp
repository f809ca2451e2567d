#include "campaign/device_kinds.hpp"

#include <gtest/gtest.h>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

DeviceReport gpu(int index, const std::string& name, int limit_w = 700) {
  DeviceReport device;
  device.id = "cuda:" + std::to_string(index);
  device.index = index;
  device.device.name = name;
  device.environment.power_limit_w = limit_w;
  return device;
}

std::string refusal(const std::vector<DeviceReport>& devices, Kinds kinds) {
  try {
    by_kind(devices, kinds);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DeviceKinds, EqualDevicesAreOneKindInTheirOrder) {
  const auto kinds = by_kind({gpu(2, "H200"), gpu(0, "H200")}, Kinds::one);
  ASSERT_EQ(kinds.size(), 1U);
  ASSERT_EQ(kinds[0].size(), 2U);
  EXPECT_EQ(kinds[0][0].id, "cuda:2");
  EXPECT_EQ(kinds[0][1].id, "cuda:0");
}

TEST(DeviceKinds, OtherNamesAreRefusedUnlessAskedFor) {
  const std::vector<DeviceReport> mixed = {gpu(0, "H200"), gpu(1, "H100"), gpu(2, "H200")};
  const std::string why = refusal(mixed, Kinds::one);
  for (const char* part : {"cuda:0 is H200", "cuda:1 is H100", "--each-kind"})
    EXPECT_NE(why.find(part), std::string::npos) << why;
  const auto kinds = by_kind(mixed, Kinds::each);
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].size(), 2U);
  EXPECT_EQ(kinds[1].front().id, "cuda:1");
}

TEST(DeviceKinds, PartitionsAreKinds) {
  DeviceReport part = gpu(1, "H200");
  part.device.partition = "1g.18gb";
  EXPECT_NE(refusal({gpu(0, "H200"), part}, Kinds::one).find("MIG 1g.18gb"), std::string::npos);
}

TEST(DeviceKinds, PowerLimitsAreKinds) {
  const std::vector<DeviceReport> both = {gpu(0, "H200", 700), gpu(1, "H200", 500)};
  const std::string why = refusal(both, Kinds::one);
  for (const char* part : {"cuda:0 is 700 W", "cuda:1 500 W", "--each-kind"})
    EXPECT_NE(why.find(part), std::string::npos) << why;
  const auto kinds = by_kind(both, Kinds::each);
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[1].front().id, "cuda:1");
}

TEST(DeviceKinds, AnUnknownPowerLimitJoinsTheFirstKind) {
  DeviceReport unknown = gpu(1, "H200");
  unknown.environment.power_limit_w.reset();
  EXPECT_EQ(refusal({gpu(0, "H200", 500), unknown}, Kinds::one), "");
  EXPECT_NE(refusal({gpu(0, "H200", 500), unknown, gpu(2, "H200", 700)}, Kinds::one), "");
  const auto kinds = by_kind({unknown, gpu(0, "H200", 500), gpu(2, "H200", 700)}, Kinds::each);
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].size(), 2U);
}

std::string refusal_of_job(const DeviceReport& first, const DeviceReport& next) {
  try {
    require_kind(kind_text(first), next);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DeviceKinds, AJobAgreesOnADeviceAndAPowerLimit) {
  DeviceReport unknown = gpu(1, "H200");
  unknown.environment.power_limit_w.reset();
  EXPECT_EQ(refusal_of_job(gpu(0, "H200"), gpu(3, "H200")), "");
  EXPECT_EQ(refusal_of_job(gpu(0, "H200"), unknown), "");
  EXPECT_EQ(refusal_of_job(unknown, gpu(0, "H200")), "");
  EXPECT_NE(refusal_of_job(gpu(0, "H200"), gpu(1, "H100")).find("another kind of device"),
            std::string::npos);
  const std::string why = refusal_of_job(gpu(0, "H200", 700), gpu(1, "H200", 500));
  EXPECT_NE(why.find("limit of 700 W, and that of cuda:1 is 500 W"), std::string::npos) << why;
}

}  // namespace
}  // namespace tilewright
