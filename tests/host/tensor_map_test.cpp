// What the host device copies as a box, at every corner of a tensor, with every swizzle and with
// strides, and as pixels in im2col mode.
#include "tuner/host/threads/tensor_map.hpp"

#include <gtest/gtest.h>

#include <array>
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

std::uint8_t* aligned(std::vector<std::uint8_t>& shared) {
  const auto address = reinterpret_cast<std::uintptr_t>(shared.data());
  return shared.data() + (1024 - address % 1024) % 1024;
}

// Where the box has its element, as the programming guide draws it: in lines of 128 bytes, with
// units of 16 bytes that change places by the number of their line.
std::int64_t place_in_box(std::int64_t element, std::int64_t swizzle) {
  const std::int64_t line = 2 * element / 128;
  const std::int64_t unit = 2 * element % 128 / 16;
  const std::int64_t places = swizzle == 0 ? 1 : swizzle / 16;
  return line * 128 + (unit ^ line % places) * 16 + 2 * element % 16;
}

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

  std::uint8_t* box() { return aligned(shared_); }

  // Where an element of the tensor is, null beyond it.
  std::uint16_t* element(int x, int y, int z) {
    const bool is_inside = x >= 0 && x < kWidth && y >= 0 && y < kHeight && z >= 0 && z < kDepth;
    return is_inside ? &memory_[static_cast<std::size_t>((z * kHeight + y) * kPitch + x)] : nullptr;
  }

  template <class Use>
  void for_each(std::int64_t columns, std::int64_t swizzle, const BoxPlace& at, const Use& use) {
    for (int z = 0; z < 2; ++z)
      for (int y = 0; y < kRows; ++y)
        for (int x = 0; x < columns; ++x)
          use(element(at[0] + x, at[1] + y, at[2] + z),
              box() + place_in_box((z * kRows + y) * columns + x, swizzle));
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

// A tensor of up to five dimensions, whose maps may have every number of them and every mode.
class Ranks : public testing::Test {
 protected:
  static constexpr BoxPlace kDims = {20, 7, 6, 5, 3};
  static constexpr std::int64_t kChannels = 24;  // from pixel to pixel; 20 are the tensor's

  Ranks() : memory_(7 * 6 * 5 * 3 * kChannels), shared_(65536 + 1024) {
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = static_cast<std::uint16_t>(i + 1);
  }

  PlannedTensorMap planned(std::size_t rank) const {
    PlannedTensorMap map{ElementType::float16, {kDims.begin(), kDims.begin() + rank}, {}, {}};
    for (std::size_t d = 1; d < rank; ++d)
      map.strides.push_back(d == 1 ? kChannels : map.strides.back() * kDims.at(d - 1));
    return map;
  }

  // At the box, so many elements behind its start; `filled` where the place is beyond the tensor.
  void expect_element(std::int64_t behind, std::int64_t swizzle, std::size_t rank,
                      const BoxPlace& place, std::uint16_t filled = 0) {
    std::uint16_t expected = place[0] >= 0 && place[0] < kDims[0] ? 1 : 0;
    std::size_t at = 0, stride = kChannels;
    for (std::size_t d = 1; d < rank; ++d) {
      if (place.at(d) < 0 || place.at(d) >= kDims.at(d)) expected = 0;
      at += static_cast<std::size_t>(place.at(d)) * stride;
      stride *= static_cast<std::size_t>(kDims.at(d));
    }
    expected = expected == 0 ? filled : memory_[at + static_cast<std::size_t>(place[0])];
    std::uint16_t value = 0;
    std::memcpy(&value, box() + place_in_box(behind, swizzle), sizeof value);
    ASSERT_EQ(value, expected) << behind << " at " << testing::PrintToString(place);
  }

  std::uint8_t* tensor() { return reinterpret_cast<std::uint8_t*>(memory_.data()); }
  std::uint8_t* box() { return aligned(shared_); }

  std::vector<std::uint16_t> memory_;
  std::vector<std::uint8_t> shared_;
};

// Calls use(place) for each place of a box of these sizes, the first dimension first.
template <class Use>
void for_each_place(const std::vector<std::int64_t>& sizes, const Use& use) {
  BoxPlace place{};
  for (;;) {
    use(place);
    std::size_t d = 0;
    while (d < sizes.size() && ++place.at(d) == sizes[d]) place.at(d++) = 0;
    if (d == sizes.size()) return;
  }
}

TEST_F(Ranks, BoxesAreRaggedAlongEachDimension) {
  constexpr std::array kFirst = {-8, 16, 24};  // units of 16 bytes
  for (const std::size_t rank : {1U, 2U, 3U, 4U, 5U})
    for (const Shape& shape : kShapes) {
      PlannedTensorMap map = planned(rank);
      map.box = {shape.columns, 3, 2, 3, 2};
      map.box.resize(rank);
      map.swizzle = shape.swizzle;
      ASSERT_EQ(tensor_map_error(map), std::nullopt);
      const MappedTensor mapped = host::map_tensor(map, tensor());
      // Before, inside and beyond, along every dimension.
      for_each_place(std::vector<std::int64_t>(rank, 3), [&](const BoxPlace& corner) {
        BoxPlace at{};
        for (std::size_t d = 0; d < rank; ++d)
          at.at(d) = d == 0 ? kFirst.at(static_cast<std::size_t>(corner[0]))
                            : corner.at(d) * kDims.at(d) / 2 - 1;
        ASSERT_EQ(mapped.error(static_cast<int>(rank), at, box()), std::nullopt);
        std::memset(box(), kUntouched, static_cast<std::size_t>(mapped.box_bytes()) + 16);
        host::fetch_box(mapped, at, box());
        for (int i = 0; i < 16; ++i) ASSERT_EQ(box()[mapped.box_bytes() + i], kUntouched);
        std::int64_t behind = 0;
        for_each_place(map.box, [&](BoxPlace place) {
          for (std::size_t d = 0; d < rank; ++d) place.at(d) += at.at(d);
          expect_element(behind++, shape.swizzle, rank, place);
        });
      });
    }
}

TEST_F(Ranks, BoxesLeaveOutWhatIsBetweenStrides) {
  for (const std::size_t rank : {3U, 4U, 5U}) {
    PlannedTensorMap map = planned(rank);
    map.box = {16, 3, 2, 3, 2};
    map.box.resize(rank);
    map.swizzle = 32;
    map.element_strides = {2, 3, 1};
    map.element_strides.resize(rank - 2);
    ASSERT_EQ(tensor_map_error(map), std::nullopt);
    const MappedTensor mapped = host::map_tensor(map, tensor());
    for (const int first : {-3, -2, 0, 1, 4}) {
      BoxPlace at{};
      for (std::size_t d = 1; d < rank; ++d) at.at(d) = first;
      ASSERT_EQ(mapped.error(static_cast<int>(rank), at, box()), std::nullopt);
      host::fetch_box(mapped, at, box());
      std::int64_t behind = 0;
      for_each_place(map.box, [&](BoxPlace place) {
        for (std::size_t d = 1; d < rank; ++d) {
          if (d + 1 < rank) place.at(d) *= static_cast<int>(map.element_strides[d - 1]);
          place.at(d) += at.at(d);
        }
        expect_element(behind++, map.swizzle, rank, place);
      });
    }
  }
}

// One layer's filter and the pixels that it is put on, along each dimension but the first and last.
struct Convolution {
  std::array<int, 3> stride, padding, after, taps, dilation;
};
constexpr Convolution kConvolutions[] = {
    {{1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}},
    {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {3, 3, 3}, {1, 1, 1}},
    {{2, 3, 1}, {2, 0, 1}, {1, 2, 0}, {3, 2, 1}, {1, 2, 3}},
    {{3, 1, 2}, {0, 3, 2}, {2, 3, 3}, {2, 3, 2}, {3, 1, 2}},
    {{3, 2, 3}, {1, 2, 0}, {0, 0, 1}, {1, 2, 2}, {1, 3, 1}},
};

class Pixels : public Ranks {
 protected:
  static constexpr std::int64_t kPixels = 37;

  // Pixels of output along a dimension.
  static int out(const Convolution& layer, std::size_t d) {
    const int span = kDims.at(d + 1) + layer.padding.at(d) + layer.after.at(d);
    return (span - layer.dilation.at(d) * (layer.taps.at(d) - 1) - 1) / layer.stride.at(d) + 1;
  }

  PlannedTensorMap mapped(std::size_t rank, const Convolution& layer, const Shape& shape) const {
    PlannedTensorMap map = planned(rank);
    map.box = {shape.columns, kPixels};
    map.swizzle = shape.swizzle;
    for (std::size_t d = 0; d + 2 < rank; ++d) {
      map.lower_corner.push_back(-layer.padding.at(d));
      map.upper_corner.push_back(layer.after.at(d) - layer.dilation.at(d) * (layer.taps.at(d) - 1));
      map.element_strides.push_back(layer.stride.at(d));
    }
    map.nan_fill = shape.swizzle == 32;
    return map;
  }

  // The place of output pixel `number` of all images in the tensor, beyond the filter's corner.
  static BoxPlace place_of(std::size_t rank, const Convolution& layer, int number) {
    BoxPlace place{};
    for (std::size_t d = 0; d + 2 < rank; ++d) {
      place.at(d + 1) = number % out(layer, d) * layer.stride.at(d) - layer.padding.at(d);
      number /= out(layer, d);
    }
    place.at(rank - 1) = number;
    return place;
  }

  void expect_pixels(std::size_t rank, const Convolution& layer, const Shape& shape, int first,
                     int channel) {
    const PlannedTensorMap map = mapped(rank, layer, shape);
    ASSERT_EQ(tensor_map_error(map), std::nullopt);
    const MappedTensor tensor_map = host::map_tensor(map, tensor());
    BoxPlace at = place_of(rank, layer, first);
    at[0] = channel;
    for (int tap = 0; tap < 2; ++tap) {
      BoxPlace offsets{};
      for (std::size_t d = 0; d + 2 < rank; ++d)
        offsets.at(d) = tap * (layer.taps.at(d) - 1) * layer.dilation.at(d);
      ASSERT_EQ(tensor_map.error(static_cast<int>(rank), at, box(), offsets), std::nullopt);
      host::fetch_box(tensor_map, at, box(), offsets);
      for (int pixel = 0; pixel < kPixels; ++pixel)
        for (int c = 0; c < shape.columns; ++c) {
          BoxPlace place = place_of(rank, layer, first + pixel);
          place[0] = channel + c;
          for (std::size_t d = 0; d + 2 < rank; ++d) place.at(d + 1) += offsets.at(d);
          expect_element(pixel * shape.columns + c, shape.swizzle, rank, place,
                         map.nan_fill ? 0x7FF7 : 0);
        }
    }
  }
};

TEST_F(Pixels, AreThoseThatAFilterIsPutOn) {
  for (const std::size_t rank : {3U, 4U, 5U})
    for (const Convolution& layer : kConvolutions)
      for (const Shape& shape : kShapes)
        for (const int first : {0, 1, 5, 12, 60, 200})
          for (const int channel : {0, 16}) expect_pixels(rank, layer, shape, first, channel);
}

TEST_F(Pixels, BeginWhereTheHardwareCanBegin) {
  const MappedTensor map = host::map_tensor(mapped(4, kConvolutions[1], {8, 0}), tensor());
  const auto error = [&](const BoxPlace& place, const BoxPlace& offsets, int rank = 4) {
    return map.error(rank, place, box(), offsets).value_or("none");
  };
  EXPECT_EQ(error({0, 5, 4, -3}, {0, 255}), "none");
  EXPECT_EQ(error({0, 6, 4, 0}, {}), "pixels from 6 on along dims[1]; the corners leave -1 to 5");
  EXPECT_EQ(error({0, 5, -2, 0}, {}), "pixels from -2 on along dims[2]; the corners leave -1 to 4");
  EXPECT_EQ(error({0, 5, 4, 0}, {0, 256}),
            "pixels with an offset of 256 along dims[2]; it must be 0 to 255");
  EXPECT_EQ(error({0, 5, 4, 0}, {-1}),
            "pixels with an offset of -1 along dims[1]; it must be 0 to 255");
  EXPECT_EQ(error({4, 5, 4, 0}, {}),
            "a box at x = 4, 8 bytes; it must begin at a multiple of 16 bytes");
  EXPECT_EQ(error({}, {}, 3), "a copy of a box of 3 dimensions by a tensor map of 4");
  EXPECT_EQ(map.error(4, {}, box()), "a copy of a box by a tensor map in im2col mode");
  PlannedTensorMap tiled = planned(4);
  tiled.box = {8, 1, 1, 1};
  EXPECT_EQ(host::map_tensor(tiled, tensor()).error(4, {}, box(), BoxPlace{}),
            "a copy of pixels by a tensor map that is not in im2col mode");
}

}  // namespace
}  // namespace tilewright::test
