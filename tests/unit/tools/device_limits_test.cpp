#include "tools/report/device_limits.hpp"

#include <gtest/gtest.h>

#include "tests/support/h200.hpp"

namespace tilewright::tools {
namespace {

using test::h200;

const Problem kFloats{"gemm", {{"M", 64}, {"type_a", "float32"}}};

std::vector<std::string> names_of(const DeviceLimits& limits) {
  std::vector<std::string> names;
  for (const ComputeLimit& limit : limits.compute) names.push_back(limit.name);
  return names;
}

// NVIDIA's data sheet: 67 TFLOP/s FP32 and 989 TFLOP/s FP16 at its boost clocks.
TEST(DeviceLimits, AreThoseOfTheDataSheet) {
  const DeviceLimits limits = limits_of(h200(), kFloats, 1980);
  ASSERT_EQ(names_of(limits), std::vector<std::string>{"FP32"});
  EXPECT_NEAR(limits.compute[0].gflops, 66.9e3, 100);
  EXPECT_EQ(limits.memory_gigabytes, 4800);
  const Problem halves{"gemm", {{"type_a", "float16"}}};
  EXPECT_NEAR(limits_of(h200(), halves, 1830).compute.at(1).gflops, 989e3, 1e3);
}

TEST(DeviceLimits, NameTensorCoresForTheTypesOfTheProblem) {
  const Problem mixed{"gemm", {{"precision", "tf32"}, {"type_a", "float8_e4m3"}, {"t", "int8"}}};
  EXPECT_EQ(names_of(limits_of(h200(), mixed, 1000)),
            (std::vector<std::string>{"FP32", "TF32 tensor cores", "FP8 tensor cores",
                                      "INT8 tensor cores"}));
}

TEST(DeviceLimits, AreNotGuessed) {
  EXPECT_TRUE(limits_of(h200(), kFloats, 0).compute.empty()) << "without a clock";
  Device device = h200();
  device.partition = "1g.18gb";
  EXPECT_TRUE(limits_of(device, kFloats, 1980).compute.empty());
  EXPECT_FALSE(limits_of(device, kFloats, 1980).memory_gigabytes);
  device = h200();
  device.name = "NVIDIA H300";
  device.compute_capability = 130;
  EXPECT_TRUE(limits_of(device, kFloats, 1980).compute.empty());
  EXPECT_FALSE(limits_of(device, kFloats, 1980).memory_gigabytes);
  device = h200();
  device.kind = DeviceKind::host;
  EXPECT_FALSE(limits_of(device, kFloats, 1980).memory_gigabytes);
}

}  // namespace
}  // namespace tilewright::tools
