#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "tests/unit/tuner/plan/filter_operation.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright {
namespace {

const Settings kValues = {{"n", 1000}, {"taps", 5}, {"boundary", "wrap"}};

LaunchPlan plan_of(const Launch& launch) {
  return plan_launches(filter_operation(), {launch}, {}, scope_over({&kValues}));
}

std::string refusal_of(const Launch& launch) {
  return input_error([&] { plan_of(launch); });
}

std::vector<PlannedBuffer> buffers_of(const Operation& operation) {
  return plan_buffers(operation, scope_over({&kValues}));
}

TEST(OrderedFills, NeedACountThatSuitsThem) {
  Operation operation = filter_operation();
  operation.arguments[0].type = ElementType::int8;
  Fill& fill = operation.arguments[0].fill;
  fill = {.kind = Fill::Kind::permutation, .low = 0};
  operation.arguments[0].count = Expression(128);
  EXPECT_EQ(buffers_of(operation)[0].fill.kind, Fill::Kind::permutation);
  const auto refusal = [&] { return input_error([&] { buffers_of(operation); }); };
  fill.low = 1;
  EXPECT_EQ(refusal(), "fill of argument 'in': int8 cannot hold 128 different numbers from 1 on");
  fill = {.kind = Fill::Kind::offsets, .low = 0, .high = 9};
  EXPECT_EQ(buffers_of(operation)[0].fill.high, 9);
  operation.arguments[0].count = Expression(1);
  EXPECT_EQ(refusal(), "fill of argument 'in': one element cannot be both 0 and 9");
  fill = {.kind = Fill::Kind::constant, .low = 1, .high = 1};
  fill.border = 1;
  fill.rows = 3;
  fill.columns = 4;
  EXPECT_EQ(refusal(), "fill of argument 'in': 1 elements are no images of 3 × 4");
}

TEST(RealValues, AreRoundedOnce) {
  const auto bytes_of = [](auto value) {
    std::vector<std::uint8_t> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  };
  Launch launch;
  launch.entry = "filter";
  LaunchArgument real;
  real.kind = LaunchArgument::Kind::value;
  real.type = ElementType::float32;
  real.real.number = 0.1;
  LaunchArgument quotient = real;
  quotient.type = ElementType::float64;
  quotient.real = {{}, Expression::parse("taps - 2")};
  quotient.value = Expression::parse("n");
  launch.arguments = {real, quotient};
  const std::vector<PlannedArgument> arguments = plan_of(launch).launches.at(0).arguments;
  EXPECT_EQ(arguments.at(0).bytes, bytes_of(0.1F));
  EXPECT_EQ(arguments.at(1).bytes, bytes_of(1000.0 / 3));
  EXPECT_EQ(real_bytes(-0.5, ElementType::float16, "x"), bytes_of(std::uint16_t{0xB800}));
  EXPECT_EQ(real_bytes(2.5, ElementType::complex64, "x"), bytes_of(std::array{2.5F, 0.0F}));

  launch.arguments.at(1).real.divisor = Expression::parse("taps - 5");
  EXPECT_NE(refusal_of(launch).find("the divisor of argument 2 of launch 'filter' is 0"),
            std::string::npos)
      << refusal_of(launch);
  launch.arguments.at(1).real = {1e39, {}};
  launch.arguments.at(1).type = ElementType::float32;
  EXPECT_NE(refusal_of(launch).find("argument 2 of launch 'filter' = 1e+39 does not fit float32"),
            std::string::npos)
      << refusal_of(launch);
  EXPECT_THROW(real_bytes(1, ElementType::int32, "x"), InputError);
}

TEST(RealValues, ScalarsMayBeReal) {
  Operation operation = filter_operation();
  operation.arguments[2].type = ElementType::float32;
  operation.arguments[2].real = {{}, Expression::parse("taps")};
  EXPECT_TRUE(buffers_of(operation)[2].is_real);
  EXPECT_EQ(buffers_of(operation)[2].real, 400);
  EXPECT_EQ(value_bytes(buffers_of(operation)[2]), scalar_bytes(400, ElementType::float32, "x"));
  operation.arguments[2].real = {{}, {}, Expression::parse_real("1 / sqrt(taps * 4)")};
  EXPECT_EQ(buffers_of(operation)[2].real, 1 / std::sqrt(20.0));
  operation.arguments[2].real = {{}, {}, Expression::parse_real("1 / sqrt(-taps)")};
  EXPECT_THROW(buffers_of(operation), InputError);
  operation.arguments[2].real = {400};
  operation.arguments[2].type = ElementType::int32;
  EXPECT_THROW(buffers_of(operation), InputError);
}

}  // namespace
}  // namespace tilewright
