#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "tuner/plan/launch_plan.hpp"

namespace tilewright::host {

inline constexpr std::size_t kMostRank = kMostTensorDimensions;
// The bytes that stay together in bulk copies, which take multiples of them.
inline constexpr std::int64_t kBulkUnit = 16;

// Where a box's first element is: coordinates in elements, neighbours first.
using BoxPlace = std::array<int, kMostRank>;

// What a kernel gets as a tensor map: a plain description, which copies read. Corners, which im2col
// mode has, and element strides are of the dimensions between the first and the last.
struct MappedTensor {
  std::uint64_t kind = 0;  // kMapped
  std::uint8_t* address = nullptr;
  std::array<std::int64_t, kMostRank> dims{};          // elements
  std::array<std::int64_t, kMostRank> stride_bytes{};  // from one element to the next
  std::array<std::uint16_t, kMostRank> box{};          // elements; im2col mode: channels, pixels
  std::array<std::int16_t, kMostRank - 2> lower_corner{};
  std::array<std::int16_t, kMostRank - 2> upper_corner{};
  std::array<std::uint8_t, kMostRank - 2> element_strides{};
  std::uint8_t element_bytes = 0;
  std::uint8_t rank = 0;
  std::uint8_t swizzle = 0;  // bytes
  bool nan_fill = false;
  bool is_im2col = false;

  std::int64_t box_bytes() const;
  // The greatest place between the corners.
  std::int64_t last_pixel(std::size_t dimension) const;
  // Why the hardware would not copy a box of `rank` dimensions that begins at `place`, from or to
  // `shared`, in one sentence. A copy in im2col mode has offsets.
  std::optional<std::string> error(int rank_of_copy, const BoxPlace& place, const void* shared,
                                   const std::optional<BoxPlace>& offsets = {}) const;
};
static_assert(sizeof(MappedTensor) == kTensorMapBytes);

// Throws TrialError for a map that the hardware would refuse, and for one that only it has: a
// swizzle wider than the rows of its box.
void check_map(const PlannedArgument& argument);
// Of a checked map. `address` is a multiple of 16; else throws TrialError.
MappedTensor map_tensor(const PlannedTensorMap& map, std::uint8_t* address);

// The box at `place`, to shared memory: permuted by the map's swizzle, zeros or NaN beyond the
// tensor. In im2col mode: pixels from `place` on, each read so many elements further on.
void fetch_box(const MappedTensor& map, const BoxPlace& place, std::uint8_t* shared,
               const BoxPlace& offsets = {});
// The box in shared memory to the tensor. What lies beyond the tensor is not written.
void store_box(const MappedTensor& map, const BoxPlace& place, const std::uint8_t* shared);

}  // namespace tilewright::host
