#include "tuner/plan/launch_plan.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

class TensorMapRules : public testing::Test {
 protected:
  void expect(const std::string& message) const {
    EXPECT_EQ(tensor_map_error(map_).value_or("none"), message);
  }

  PlannedTensorMap map_ = {
      ElementType::float32, {1001, 301, 7}, {1004, 1004 * 301}, {32, 10, 1}, 128, 256};
};

TEST_F(TensorMapRules, AcceptWhatTheHardwareTakes) {
  expect("none");
  map_ = {ElementType::uint8, {1}, {}, {256}, 0, 0};
  expect("none");
}

TEST_F(TensorMapRules, LimitSizes) {
  map_.dims[1] = 0;
  expect("dims[1] = 0; it must be 1 to 4294967296");
  map_.dims[1] = (std::int64_t{1} << 32) + 1;
  expect("dims[1] = 4294967297; it must be 1 to 4294967296");
}

TEST_F(TensorMapRules, LimitBoxes) {
  map_.box[1] = 257;
  expect("box[1] = 257; it must be 1 to 256");
  map_.box = {6, 10, 1};
  expect("a row of the box is 24 bytes; it must be a multiple of 16");
  map_.box = {36, 10, 1};
  expect("a row of the box is 144 bytes; with a swizzle of 128 it must not exceed that");
  map_.swizzle = 0;
  expect("none");
}

TEST_F(TensorMapRules, LimitStrides) {
  const std::string accepted = ", of 4 bytes each; it must be a multiple of 16 bytes, below 2^40";
  map_.strides[0] = 1001;
  expect("strides[0] = 1001" + accepted);
  map_.strides[0] = 0;
  expect("strides[0] = 0" + accepted);
  map_.strides[0] = std::int64_t{1} << 38;
  expect("strides[0] = 274877906944" + accepted);
}

TEST_F(TensorMapRules, KnowSwizzlesAndPromotions) {
  map_.swizzle = 16;
  expect("swizzle = 16; it must be 0, 32, 64 or 128 bytes");
  map_.swizzle = 0;
  map_.promote = 32;
  expect("promote = 32; it must be 0, 64, 128 or 256 bytes");
}

TEST_F(TensorMapRules, CountBytesOfEveryElementType) {
  for (const ElementTypeFacts& facts : kElementTypes) {
    const ElementType type = type_named(facts.name).value();
    const auto least = 16 / static_cast<std::int64_t>(size_of(type));
    map_ = {type, {100, 100}, {8 * least}, {least, 2}, 32, 0};
    SCOPED_TRACE(facts.name);
    expect("none");
    map_.strides = {8 * least + 1};
    EXPECT_EQ(tensor_map_error(map_).has_value(), least > 1);
    map_.strides = {8 * least};
    map_.box = {3 * least, 2};
    expect("a row of the box is 48 bytes; with a swizzle of 32 it must not exceed that");
  }
}

TEST_F(TensorMapRules, BeginAtAMultipleOf16Bytes) {
  PlannedArgument argument;
  argument.kind = PlannedArgument::Kind::workspace_map;
  argument.map = map_;
  argument.offset = 32;
  EXPECT_FALSE(tensor_map_error(argument));
  argument.offset = 40;
  EXPECT_EQ(tensor_map_error(argument),
            "it begins 40 bytes into the workspace; that must be a multiple of 16");
}

}  // namespace
}  // namespace tilewright
