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

TEST_F(TensorMapRules, FillWithNaNOnlyWhereTheHardwareKnowsOne) {
  map_.nan_fill = true;
  expect("none");
  for (const ElementType type : {ElementType::int32, ElementType::float8_e4m3}) {
    map_ = {type, {128}, {}, {64}};
    map_.nan_fill = true;
    expect("nan_fill with elements of " + to_text(type) +
           "; it is for floating-point numbers of 16 bits or more");
  }
}

// Images of 7 planes of 9 rows of 14 pixels of 64 channels.
class Im2colRules : public TensorMapRules {
 protected:
  Im2colRules() {
    map_ = {ElementType::float16,
            {64, 14, 9, 7, 3},
            {64, 896, 8064, 56448},
            {64, 1024},
            128,
            0,
            {-1, -2, 0},
            {-1, 2, -6},
            {1, 2, 8}};
  }
  // Without the planes, and without the rows.
  void lower_rank() {
    for (auto* numbers : {&map_.dims, &map_.strides}) numbers->erase(numbers->begin() + 1);
    for (auto* numbers : {&map_.lower_corner, &map_.upper_corner, &map_.element_strides})
      numbers->pop_back();
  }
};

TEST_F(Im2colRules, AcceptWhatTheHardwareTakes) {
  expect("none");
  map_.lower_corner[0] = -16;
  map_.upper_corner[1] = 15;
  expect("none");
}

TEST_F(Im2colRules, LimitPixelsAndChannels) {
  map_.box[1] = 1025;
  expect("box[1] = 1025; it must be 1 to 1024");
  map_.box = {257, 1};
  expect("box[0] = 257; it must be 1 to 256");
  map_.box = {4, 1};
  expect("a row of the box is 8 bytes; it must be a multiple of 16");
  map_.box = {128, 1};
  expect("a row of the box is 256 bytes; with a swizzle of 128 it must not exceed that");
}

TEST_F(Im2colRules, LimitCornersByTheNumberOfDimensions) {
  for (const std::int64_t limit : {16, 128, 32768}) {
    const std::string accepted =
        "; it must be " + std::to_string(-limit) + " to " + std::to_string(limit - 1);
    map_.lower_corner[0] = -limit - 1;
    expect("lower_corner[0] = " + std::to_string(-limit - 1) + accepted);
    map_.lower_corner[0] = -limit;
    expect("none");
    map_.upper_corner[0] = limit;
    expect("upper_corner[0] = " + std::to_string(limit) + accepted);
    map_.upper_corner[0] = limit - 1;
    expect("none");
    if (limit < 32768) lower_rank();
  }
}

TEST_F(Im2colRules, LeaveAPixelBetweenTheCorners) {
  map_.upper_corner[2] = -7;
  expect("lower_corner[2] = 0 and upper_corner[2] = -7; no pixel of dims[3] = 7 is between them");
  map_.lower_corner[2] = -1;
  expect("none");
}

TEST_F(Im2colRules, LimitElementStrides) {
  for (const std::int64_t stride : {0, 9}) {
    map_.element_strides[1] = stride;
    expect("element_strides[1] = " + std::to_string(stride) + "; it must be 1 to 8");
  }
}

TEST_F(TensorMapRules, LimitBoxesWithWhatTheyLeaveOut) {
  map_ = {ElementType::float16, {64, 300, 9}, {64, 19200}, {64, 128, 2}, 128, 0};
  map_.element_strides = {2};
  expect("none");
  EXPECT_EQ(map_.extent(0), 64);
  EXPECT_EQ(map_.extent(1), 255);
  EXPECT_EQ(map_.extent(2), 2);
  map_.box[1] = 129;
  expect("box[1] = 129 with a stride of 2 spans 257 elements; it must not exceed 256");
  map_.element_strides = {9};
  expect("element_strides[0] = 9; it must be 1 to 8");
  map_.element_strides = {1, 1};
  EXPECT_NE(tensor_map_error(map_).value_or("none").find("there must be 3 to 5 dims"),
            std::string::npos);
}

TEST_F(Im2colRules, NeedAsManyNumbersAsTheModeHas) {
  const PlannedTensorMap right = map_;
  const auto expect_refused = [&](const auto& forge) {
    map_ = right;
    forge();
    EXPECT_NE(tensor_map_error(map_).value_or("none").find("there must be 3 to 5 dims"),
              std::string::npos);
  };
  expect_refused([&] { map_.upper_corner.pop_back(); });
  expect_refused([&] { map_.lower_corner.pop_back(); });
  expect_refused([&] { map_.element_strides.clear(); });
  expect_refused([&] { map_.box.push_back(1); });
  expect_refused([&] { map_.strides.pop_back(); });
  expect_refused([&] { map_.dims.resize(2); });
  map_ = right;
  map_.lower_corner.clear();
  EXPECT_NE(tensor_map_error(map_), std::nullopt);
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
