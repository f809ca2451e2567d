#include <gtest/gtest.h>

#include "tests/unit/tuner/plan/filter_operation.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright {
namespace {

class TextureRules : public testing::Test {
 protected:
  void expect(const std::string& message) const {
    EXPECT_EQ(texture_error(texture_).value_or("none"), message);
  }

  PlannedTexture texture_ = {0, ElementType::float32, 1, {100, 30, 7}, {104, 104 * 40}, {}};
};

TEST_F(TextureRules, AcceptWhatTheHardwareTakes) {
  expect("none");
  texture_ = {0, ElementType::uint8, 4, {131072}, {}, {}};
  expect("none");
  texture_ = {0, ElementType::complex64, 1, {131072, 65536}, {131072}, {}};
  expect("none");
  texture_ = {0, ElementType::int32, 2, {1 << 27}, {}, {TextureMemory::linear}};
  expect("none");
}

TEST_F(TextureRules, LimitSizes) {
  texture_.dims[2] = 16385;
  expect("dims[2] = 16385; with memory = 'array' and 3 dimensions it must be 1 to 16384");
  texture_.dims[2] = 0;
  expect("dims[2] = 0; with memory = 'array' and 3 dimensions it must be 1 to 16384");
  texture_ = {0, ElementType::float32, 1, {131073}, {}, {}};
  expect("dims[0] = 131073; with memory = 'array' and 1 dimension it must be 1 to 131072");
  texture_.modes.memory = TextureMemory::linear;
  expect("none");
  texture_ = {0, ElementType::float32, 1, {8, 65001}, {8}, {TextureMemory::linear}};
  expect("dims[1] = 65001; with memory = 'linear' and 2 dimensions it must be 1 to 65000");
}

TEST_F(TextureRules, HaveOneTwoOrFourNumbersInAnElement) {
  texture_.lanes = 3;
  expect("an element has 3 numbers; it must have 1, 2 or 4");
  texture_.lanes = 4;
  expect("none");
  texture_.type = ElementType::complex64;
  expect("an element has 8 numbers; it must have 1, 2 or 4");
}

TEST_F(TextureRules, HaveRowsThatFollowOneAnother) {
  texture_.strides[0] = 99;
  expect("strides[0] = 99; a row has 100 elements, and the next one follows it");
  texture_.strides = {104, 104 * 29};
  expect("strides[1] = 3016; it must be a multiple of strides[0], 104, at least 30 rows");
  texture_.strides = {104, 104 * 40 + 1};
  expect("strides[1] = 4161; it must be a multiple of strides[0], 104, at least 30 rows");
  texture_.strides = {104};
  expect("3 dims and 1 strides; there must be 1 to 3 dims, and one stride less");
}

TEST_F(TextureRules, OfLinearMemoryHaveAlignedRows) {
  texture_ = {0, ElementType::uint8, 1, {100, 30}, {100}, {TextureMemory::linear}};
  expect("a row is 100 bytes; with memory = 'linear' it must be a multiple of 32, at most 2097120");
  texture_.strides[0] = 128;
  expect("none");
  texture_ = {0, ElementType::float32, 4, {131070, 2}, {131070}, {TextureMemory::linear}};
  expect("none");
  texture_.strides[0] = 131072;
  expect(
      "a row is 2097152 bytes; with memory = 'linear' it must be a multiple of 32, at most "
      "2097120");
}

TEST_F(TextureRules, KnowHowTheBufferIsWalkedThrough) {
  const TextureExtent extent = extent_of(texture_);
  EXPECT_EQ(extent.width, 100);
  EXPECT_EQ(extent.height, 30);
  EXPECT_EQ(extent.depth, 7);
  EXPECT_EQ(extent.row_bytes, 416);
  EXPECT_EQ(extent.rows_per_slice, 40);
  texture_ = {0, ElementType::float16, 2, {9}, {}, {}};
  EXPECT_EQ(extent_of(texture_).row_bytes, 36);
  EXPECT_EQ(extent_of(texture_).height, 1);
}

class PlannedTextures : public testing::Test {
 protected:
  PlannedTextures() {
    launch_.entry = "filter";
    launch_.arguments = {argument({Expression::parse("taps"), Expression::parse("n / 10")})};
  }

  static LaunchArgument argument(std::vector<Expression> dims) {
    LaunchArgument texture;
    texture.kind = LaunchArgument::Kind::texture;
    texture.name = "in";
    texture.texture.dims = std::move(dims);
    for (const TextureMode& mode : kTextureModes)
      texture.texture.*
          mode.written = {Expression::parse('\'' + std::string(mode.labels.front()) + '\'')};
    return texture;
  }
  LaunchPlan plan() const {
    return plan_launches(operation_, {launch_, launch_}, {}, scope_over({&values_}));
  }

  Operation operation_ = filter_operation();
  Launch launch_;
  Settings values_ = {{"n", 1000}, {"taps", 5}, {"boundary", "wrap"}, {"BLOCK", 256}};
};

TEST_F(PlannedTextures, AreThereOnceForAllLaunches) {
  launch_.arguments.push_back(argument({Expression(8)}));
  launch_.arguments.push_back(launch_.arguments[0]);
  const LaunchPlan planned = plan();
  ASSERT_EQ(planned.textures.size(), 2U);
  EXPECT_EQ(planned.textures[0], (PlannedTexture{0, ElementType::float32, 1, {5, 100}, {5}, {}}));
  for (const PlannedLaunch& launch : planned.launches) {
    const std::vector<int> numbers = {0, 1, 0};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      EXPECT_EQ(launch.arguments.at(i).kind, PlannedArgument::Kind::texture);
      EXPECT_EQ(launch.arguments.at(i).index, numbers[i]);
    }
  }
}

TEST_F(PlannedTextures, HaveModesThatParametersDecide) {
  launch_.arguments[0].texture.memory = {Expression::parse("BLOCK == 256 ? 'linear' : 'array'")};
  launch_.arguments[0].texture.strides = {Expression::parse("taps + 3")};
  const PlannedTexture linear = plan().textures.at(0);
  EXPECT_EQ(linear.modes.memory, TextureMemory::linear);
  EXPECT_EQ(linear.strides, std::vector<std::int64_t>{8});
  values_["BLOCK"] = 128;
  EXPECT_EQ(plan().textures.at(0).modes.memory, TextureMemory::array);
  launch_.arguments[0].texture.memory = {
      Expression::parse("1 / (BLOCK - 128) ? 'linear' : 'array'")};
  EXPECT_NE(input_error([&] { plan(); }).find("argument 1's modes of launch 'filter': "),
            std::string::npos);
}

TEST_F(PlannedTextures, LieWithinTheirBuffer) {
  const auto refusal = [&](std::vector<std::int64_t> dims, std::int64_t lanes) {
    operation_.arguments[0].lanes = lanes;
    launch_.arguments = {argument({})};
    for (const std::int64_t size : dims) launch_.arguments[0].texture.dims.emplace_back(size);
    return input_error([&] { plan(); });
  };
  EXPECT_EQ(refusal({40, 25}, 1), "no error");
  EXPECT_EQ(refusal({40, 25}, 4), "no error");
  EXPECT_EQ(refusal({41, 25}, 4),
            "argument 1 of launch 'filter' reads elements beyond the 1000 of 'in'");
  EXPECT_EQ(refusal({10, 10, 11}, 1),
            "argument 1 of launch 'filter' reads elements beyond the 1000 of 'in'");
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(refusal({1, large, large}, 1),
            "argument 1 of launch 'filter' reads elements beyond the 1000 of 'in'");
}

TEST_F(PlannedTextures, AreAtMost64) {
  launch_.arguments.clear();
  for (std::int64_t i = 0; i < 64; ++i) launch_.arguments.push_back(argument({Expression(i + 1)}));
  EXPECT_EQ(plan().textures.size(), 64U);
  launch_.arguments.push_back(argument({Expression(65)}));
  EXPECT_EQ(input_error([&] { plan(); }), "a call has more than 64 textures");
}

}  // namespace
}  // namespace tilewright
