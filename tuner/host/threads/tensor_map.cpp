#include "tuner/host/threads/tensor_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "tuner/backend/evaluator.hpp"

namespace tilewright::host {
namespace {

constexpr std::uint64_t kMapped = 0x7465'6e73'6f72'206d;
constexpr std::uintptr_t kBoxAlignment = 128;  // of a box in shared memory
// Of offsets in im2col mode, with 3, 4 and 5 dimensions.
constexpr std::array<int, kMostRank - 2> kMostOffsets = {65535, 255, 31};

// Where the hardware puts what would lie at `address`.
std::uintptr_t permuted(std::uintptr_t address, unsigned swizzle) {
  if (swizzle == 0) return address;
  const std::uintptr_t units = swizzle / static_cast<unsigned>(kBulkUnit) - 1;
  return address ^ (address >> 3 & units << 4);
}

// Goes through the rows of a box, or the pixels of a copy in im2col mode, in their order.
class Rows {
 public:
  Rows(const MappedTensor& map, const BoxPlace& place, const BoxPlace& offsets) : map_(map) {
    const std::size_t last = map.rank - 1U;
    for (std::size_t d = 1; d <= last; ++d) {
      Along& along = along_.at(d);
      along.first = along.at = place.at(d);
      along.step = d == last ? 1 : map.element_strides.at(d - 1);
      along.last = along.at + (map.box.at(d) - 1) * along.step;
      if (!map.is_im2col) continue;
      along.last = std::numeric_limits<std::int64_t>::max();
      if (d == last) continue;
      const std::int64_t offset = offsets.at(d - 1);
      along.at += offset;
      along.first = offset + map.lower_corner.at(d - 1);
      along.last = offset + map.last_pixel(d);
    }
  }

  // The tensor's row, null beyond it.
  std::uint8_t* start() const {
    std::uint8_t* start = map_.address;
    for (std::size_t d = 1; d < map_.rank; ++d) {
      const std::int64_t at = along_.at(d).at;
      if (at < 0 || at >= map_.dims.at(d)) return nullptr;
      start += at * map_.stride_bytes.at(d);
    }
    return start;
  }

  void advance() {
    for (std::size_t d = 1; d < map_.rank; ++d) {
      Along& along = along_.at(d);
      along.at += along.step;
      if (along.at <= along.last) return;
      along.at = along.first;
    }
  }

 private:
  struct Along {
    std::int64_t at = 0, first = 0, last = 0, step = 1;
  };
  const MappedTensor& map_;
  std::array<Along, kMostRank> along_;
};

// Calls `unit(shared, in_row, row)` for every 16 bytes of the box: where they lie in shared memory,
// how many bytes they begin behind the row's first element, and where the tensor's row is, null
// beyond the tensor. `x` is the place of the box in its rows.
void for_each_unit(const MappedTensor& map, std::int64_t x, Rows place, auto* shared,
                   const auto& unit) {
  const std::int64_t row_bytes = std::int64_t{map.box[0]} * map.element_bytes;
  const std::int64_t bytes = map.box_bytes();
  const auto first = reinterpret_cast<std::uintptr_t>(shared);
  for (std::int64_t row = 0; row < bytes; row += row_bytes, place.advance()) {
    std::uint8_t* const start = place.start();
    for (std::int64_t in_row = 0; in_row < row_bytes; in_row += kBulkUnit) {
      const std::uintptr_t address =
          permuted(first + static_cast<std::uintptr_t>(row + in_row), map.swizzle);
      unit(shared + (address - first), x * map.element_bytes + in_row, start);
    }
  }
}

// How many of the 16 bytes from `in_row` on are in a row of the tensor, which is null beyond it.
std::int64_t inside(const MappedTensor& map, const std::uint8_t* row, std::int64_t in_row) {
  // With its unit, because rows begin at a multiple of a unit.
  if (row == nullptr || in_row < 0) return 0;
  return std::clamp<std::int64_t>(map.dims[0] * map.element_bytes - in_row, 0, kBulkUnit);
}

void copy_unit(std::uint8_t* target, const std::uint8_t* source, std::int64_t count) {
  if (count == kBulkUnit)
    std::memcpy(target, source, kBulkUnit);  // a constant number of bytes is fast
  else
    std::memcpy(target, source, static_cast<std::size_t>(count));
}

// With zeros, or bits that are a NaN of every type. (Which NaN the hardware takes is not
// documented.)
void fill_unit(std::uint8_t* target, bool nan) {
  std::array<std::uint16_t, kBulkUnit / 2> elements{};
  if (nan) elements.fill(0x7FF7);
  std::memcpy(target, elements.data(), kBulkUnit);
}

std::optional<std::string> pixels_error(const MappedTensor& map, const BoxPlace& place,
                                        const BoxPlace& offsets) {
  const int most = kMostOffsets.at(map.rank - kLeastIm2colDimensions);
  for (std::size_t d = 1; d + 1 < map.rank; ++d) {
    const int offset = offsets.at(d - 1);
    if (offset < 0 || offset > most)
      return fmt::format("pixels with an offset of {} along dims[{}]; it must be 0 to {}", offset,
                         d, most);
    const std::int64_t first = map.lower_corner.at(d - 1), last = map.last_pixel(d);
    if (place.at(d) < first || place.at(d) > last)
      return fmt::format("pixels from {} on along dims[{}]; the corners leave {} to {}",
                         place.at(d), d, first, last);
  }
  return std::nullopt;
}

}  // namespace

std::int64_t MappedTensor::last_pixel(std::size_t dimension) const {
  return dims.at(dimension) - 1 + upper_corner.at(dimension - 1);
}

std::int64_t MappedTensor::box_bytes() const {
  std::int64_t bytes = element_bytes;
  for (std::size_t d = 0; d < rank; ++d) bytes *= box.at(d);
  return bytes;
}

std::optional<std::string> MappedTensor::error(int rank_of_copy, const BoxPlace& place,
                                               const void* shared,
                                               const std::optional<BoxPlace>& offsets) const {
  if (kind != kMapped) return "a copy of a box by what is no tensor map";
  if (is_im2col != offsets.has_value())
    return is_im2col ? "a copy of a box by a tensor map in im2col mode"
                     : "a copy of pixels by a tensor map that is not in im2col mode";
  if (rank_of_copy != rank)
    return fmt::format("a copy of a box of {} dimensions by a tensor map of {}", rank_of_copy,
                       rank);
  const std::int64_t x = std::int64_t{place[0]} * element_bytes;
  if (x % kBulkUnit != 0)
    return fmt::format("a box at x = {}, {} bytes; it must begin at a multiple of {} bytes",
                       place[0], x, kBulkUnit);
  if (const auto at = reinterpret_cast<std::uintptr_t>(shared); at % kBoxAlignment != 0)
    return fmt::format(
        "a box in shared memory {} bytes beyond a multiple of {}; it must begin at one",
        at % kBoxAlignment, kBoxAlignment);
  return offsets ? pixels_error(*this, place, *offsets) : std::nullopt;
}

void check_map(const PlannedArgument& argument) {
  if (const auto error = tensor_map_error(argument)) refuse_launch("a tensor map: " + *error);
  const PlannedTensorMap& map = argument.map;
  const auto row = map.box.front() * static_cast<std::int64_t>(size_of(map.type));
  if (map.swizzle > row)
    throw TrialError(Outcome::unsupported,
                     fmt::format("the host device has no tensor maps with a swizzle of {} bytes "
                                 "for rows of {}",
                                 map.swizzle, row));
}

MappedTensor map_tensor(const PlannedTensorMap& map, std::uint8_t* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % kTensorMapAlignment != 0)
    refuse_launch(
        fmt::format("a tensor map of memory that does not begin at a multiple of {} bytes",
                    kTensorMapAlignment));
  MappedTensor result;
  result.kind = kMapped;
  result.address = address;
  const auto element = static_cast<std::int64_t>(size_of(map.type));
  result.element_bytes = static_cast<std::uint8_t>(element);
  result.rank = static_cast<std::uint8_t>(map.dims.size());
  result.swizzle = static_cast<std::uint8_t>(map.swizzle);
  for (std::size_t d = 0; d < map.dims.size(); ++d) {
    result.dims.at(d) = map.dims[d];
    result.stride_bytes.at(d) = d == 0 ? element : element * map.strides[d - 1];
    result.box.at(d) = d < map.box.size() ? static_cast<std::uint16_t>(map.box[d]) : 1;
  }
  for (std::size_t i = 0; i < map.lower_corner.size(); ++i) {
    result.lower_corner.at(i) = static_cast<std::int16_t>(map.lower_corner[i]);
    result.upper_corner.at(i) = static_cast<std::int16_t>(map.upper_corner[i]);
  }
  result.element_strides.fill(1);
  std::ranges::copy(map.element_strides, result.element_strides.begin());
  result.nan_fill = map.nan_fill;
  result.is_im2col = map.is_im2col();
  return result;
}

void fetch_box(const MappedTensor& map, const BoxPlace& place, std::uint8_t* shared,
               const BoxPlace& offsets) {
  for_each_unit(map, place[0], Rows(map, place, offsets), shared,
                [&](std::uint8_t* target, std::int64_t in_row, const std::uint8_t* row) {
                  const std::int64_t count = inside(map, row, in_row);
                  if (count < kBulkUnit) fill_unit(target, map.nan_fill);
                  if (count > 0) copy_unit(target, row + in_row, count);
                });
}

void store_box(const MappedTensor& map, const BoxPlace& place, const std::uint8_t* shared) {
  for_each_unit(map, place[0], Rows(map, place, {}), shared,
                [&](const std::uint8_t* source, std::int64_t in_row, std::uint8_t* row) {
                  const std::int64_t count = inside(map, row, in_row);
                  if (count > 0) copy_unit(row + in_row, source, count);
                });
}

}  // namespace tilewright::host
