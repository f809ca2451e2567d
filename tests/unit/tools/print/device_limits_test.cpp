#include "tools/print/device_limits.hpp"

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

TEST(DeviceLimits, ThatOfTheProductsIsByTheWiderType) {
  const auto limit = [](const Settings& values) {
    const auto found = product_limit(h200(), {"gemm", values}, 1830);
    return found ? found->name : "";
  };
  const auto typed = [&](const char* a, const char* b, const char* precision = "float32") {
    return limit({{"type_a", a}, {"type_b", b}, {"precision", precision}, {"type_c", "int8"}});
  };
  EXPECT_EQ(typed("float32", "float32"), "FP32");
  EXPECT_EQ(typed("float32", "float32", "tf32"), "TF32 tensor cores");
  EXPECT_EQ(typed("bfloat16", "int8"), "FP16 tensor cores");
  EXPECT_EQ(typed("float8_e4m3", "float8_e5m2"), "FP8 tensor cores");
  EXPECT_EQ(typed("float16", "float64"), "FP64 tensor cores");
  EXPECT_EQ(limit({{"type", "float16"}}), "FP32") << "a convolution";
  EXPECT_EQ(limit({{"width", std::int64_t{4096}}}), "FP32");
  EXPECT_FALSE(product_limit(h200(), kFloats, 0)) << "without a clock";
}

}  // namespace
}  // namespace tilewright::tools
