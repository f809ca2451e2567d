#include "campaign/device_kinds.hpp"

#include <gtest/gtest.h>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

PooledDevice gpu(int index, const std::string& name, double limit_w = 700) {
  PooledDevice device;
  device.report.id = "cuda:" + std::to_string(index);
  device.report.index = index;
  device.report.device.name = name;
  device.power_limit_w = limit_w;
  return device;
}

std::string refusal(const std::vector<PooledDevice>& devices, Kinds kinds) {
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
  const std::vector<PooledDevice> mixed = {gpu(0, "H200"), gpu(1, "H100"), gpu(2, "H200")};
  const std::string why = refusal(mixed, Kinds::one);
  for (const char* part : {"cuda:0 is H200", "cuda:1 is H100", "--each-kind"})
    EXPECT_NE(why.find(part), std::string::npos) << why;
  const auto kinds = by_kind(mixed, Kinds::each);
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].size(), 2U);
  EXPECT_EQ(kinds[1].front().id, "cuda:1");
}

TEST(DeviceKinds, PartitionsAreKinds) {
  PooledDevice part = gpu(1, "H200");
  part.report.device.partition = "1g.18gb";
  EXPECT_NE(refusal({gpu(0, "H200"), part}, Kinds::one).find("MIG 1g.18gb"), std::string::npos);
}

TEST(DeviceKinds, PowerLimitsOfOneKindMustBeEqual) {
  for (const Kinds kinds : {Kinds::one, Kinds::each}) {
    const std::string why = refusal({gpu(0, "H200", 700), gpu(1, "H200", 500)}, kinds);
    for (const char* part : {"cuda:0 is 700 W", "cuda:1 500 W"})
      EXPECT_NE(why.find(part), std::string::npos) << why;
  }
  EXPECT_EQ(refusal({gpu(0, "H200", 700), gpu(1, "H100", 500)}, Kinds::each), "");
  PooledDevice unknown = gpu(1, "H200");
  unknown.power_limit_w.reset();
  EXPECT_EQ(refusal({gpu(0, "H200", 500), unknown}, Kinds::one), "");
}

}  // namespace
}  // namespace tilewright
