// What the host device copies as a box, at every corner of a tensor, with every swizzle.
#include "tuner/host/threads/tensor_map.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tuner/backend/evaluator.hpp"

namespace tilewright::test {
namespace {

using host::BoxPlace;
using host::MappedTensor;

constexpr std::int64_t kWidth = 37, kHeight = 11, kDepth = 3, kPitch = 48;
constexpr std::uint8_t kUntouched = 0xEE;

// A tensor of numbers that differ, and room for a box.
class Boxes : public testing::Test {
 protected:
  Boxes() : memory_(kDepth * kHeight * kPitch), shared_(4096 + 1024, kUntouched) {
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = static_cast<std::uint16_t>(i + 1);
  }

  MappedTensor map(std::int64_t columns, std::int64_t swizzle) {
    return host::map_tensor({ElementType::float16,
                             {kWidth, kHeight, kDepth},
                             {kPitch, kPitch * kHeight},
                             {columns, kRows, 2},
                             swizzle,
                             0},
                            reinterpret_cast<std::uint8_t*>(memory_.data()));
  }

  std::uint8_t* box() {
    const auto address = reinterpret_cast<std::uintptr_t>(shared_.data());
    return shared_.data() + (1024 - address % 1024) % 1024;
  }

  // Where an element of the tensor is, null beyond it.
  std::uint16_t* element(int x, int y, int z) {
    const bool is_inside = x >= 0 && x < kWidth && y >= 0 && y < kHeight && z >= 0 && z < kDepth;
    return is_inside ? &memory_[static_cast<std::size_t>((z * kHeight + y) * kPitch + x)] : nullptr;
  }

  // Where the box has its element, as the programming guide draws it: rows of `columns` elements,
  // of which so many make a line of 128 bytes, and units of 16 bytes that change places by the
  // number of their line.
  static std::int64_t place_in_box(std::int64_t columns, std::int64_t swizzle, std::int64_t row,
                                   std::int64_t column) {
    const std::int64_t bytes = 2 * (row * columns + column);
    const std::int64_t line = bytes / 128;
    const std::int64_t unit = bytes % 128 / 16;
    const std::int64_t places = swizzle == 0 ? 1 : swizzle / 16;
    return line * 128 + (unit ^ line % places) * 16 + bytes % 16;
  }

  template <class Use>
  void for_each(std::int64_t columns, std::int64_t swizzle, const BoxPlace& at, const Use& use) {
    for (int z = 0; z < 2; ++z)
      for (int y = 0; y < kRows; ++y)
        for (int x = 0; x < columns; ++x)
          use(element(at[0] + x, at[1] + y, at[2] + z),
              box() + place_in_box(columns, swizzle, z * kRows + y, x));
  }

  static constexpr int kRows = 5;
  std::vector<std::uint16_t> memory_;
  std::vector<std::uint8_t> shared_;
};

struct Shape {
  std::int64_t columns, swizzle;
};
constexpr Shape kShapes[] = {{8, 0}, {24, 0}, {64, 0}, {16, 32}, {32, 64}, {64, 128}};

// Before, at and beyond each end of each dimension.
std::vector<BoxPlace> corners() {
  std::vector<BoxPlace> places;
  for (const int x : {-64, -8, 0, 8, 32, 40})
    for (const int y : {-5, -2, 0, 4, 9, 11})
      for (const int z : {-2, -1, 0, 2, 3}) places.push_back({x, y, z});
  return places;
}

TEST_F(Boxes, AreFetchedAtEveryCornerWithEverySwizzle) {
  for (const auto& [columns, swizzle] : kShapes) {
    const MappedTensor tensor = map(columns, swizzle);
    ASSERT_EQ(tensor.box_bytes(), 2 * columns * kRows * 2);
    for (const BoxPlace& at : corners()) {
      std::memset(box(), kUntouched, 4096);
      ASSERT_EQ(tensor.error(3, at, box()), std::nullopt);
      host::fetch_box(tensor, at, box());
      for_each(columns, swizzle, at, [&](const std::uint16_t* there, const std::uint8_t* here) {
        std::uint16_t value = 0;
        std::memcpy(&value, here, sizeof value);
        ASSERT_EQ(value, there == nullptr ? 0 : *there);
      });
      for (std::int64_t i = tensor.box_bytes(); i < 4096; ++i) ASSERT_EQ(box()[i], kUntouched);
    }
  }
}

TEST_F(Boxes, AreStoredInsideTheTensorOnly) {
  const std::vector<std::uint16_t> before = memory_;
  for (const auto& [columns, swizzle] : kShapes) {
    const MappedTensor tensor = map(columns, swizzle);
    for (const BoxPlace& at : corners()) {
      std::vector<std::uint16_t> expected = memory_ = before;
      std::uint16_t next = 10000;
      for_each(columns, swizzle, at, [&](std::uint16_t* there, std::uint8_t* here) {
        std::memcpy(here, &next, sizeof next);
        if (there != nullptr) expected[static_cast<std::size_t>(there - memory_.data())] = next;
        ++next;
      });
      host::store_box(tensor, at, box());
      ASSERT_EQ(memory_, expected) << columns << ' ' << swizzle;
    }
  }
}

TEST_F(Boxes, BeginWhereTheHardwareCanBegin) {
  const MappedTensor tensor = map(8, 0);
  EXPECT_EQ(tensor.error(3, {4, 0, 0}, box()),
            "a box at x = 4, 8 bytes; it must begin at a multiple of 16 bytes");
  EXPECT_EQ(tensor.error(3, {-1, 0, 0}, box()),
            "a box at x = -1, -2 bytes; it must begin at a multiple of 16 bytes");
  EXPECT_EQ(tensor.error(3, {8, 0, 0}, box() + 64),
            "a box in shared memory 64 bytes beyond a multiple of 128; it must begin at one");
  EXPECT_EQ(tensor.error(2, {8, 0, 0}, box()),
            "a copy of a box of 2 dimensions by a tensor map of 3");
  EXPECT_EQ(MappedTensor{}.error(3, {8, 0, 0}, box()), "a copy of a box by what is no tensor map");
}

TEST_F(Boxes, OfMapsThatTheDriverRefusesAreRefused) {
  const auto refusal = [](const PlannedTensorMap& map) -> std::string {
    PlannedArgument argument;
    argument.kind = PlannedArgument::Kind::tensor_map;
    argument.map = map;
    try {
      host::check_map(argument);
    } catch (const TrialError& error) {
      return std::string(to_text(error.failure().outcome)) + ": " + error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal({ElementType::float32, {40, 25}, {40}, {8, 4}, 32, 0}), "none");
  EXPECT_EQ(refusal({ElementType::float32, {40, 25}, {41}, {8, 4}, 0, 0}),
            "launch_failed: a tensor map: strides[0] = 41, of 4 bytes each; it must be a multiple "
            "of 16 bytes, below 2^40");
  EXPECT_EQ(refusal({ElementType::float32, {40, 25}, {40}, {8, 4}, 128, 0}),
            "unsupported: the host device has no tensor maps with a swizzle of 128 bytes for rows "
            "of 32");
  EXPECT_THROW(host::map_tensor({ElementType::float32, {8}, {}, {8}, 0, 0},
                                reinterpret_cast<std::uint8_t*>(memory_.data()) + 4),
               TrialError);
}

}  // namespace
}  // namespace tilewright::test
