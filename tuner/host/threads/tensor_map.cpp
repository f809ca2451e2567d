#include "tuner/host/threads/tensor_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tuner/backend/evaluator.hpp"

namespace tilewright::host {
namespace {

constexpr std::uint64_t kMapped = 0x7465'6e73'6f72'206d;
constexpr std::uintptr_t kBoxAlignment = 128;  // of a box in shared memory

// Where the hardware puts what would lie at `address`.
std::uintptr_t permuted(std::uintptr_t address, unsigned swizzle) {
  if (swizzle == 0) return address;
  const std::uintptr_t units = swizzle / static_cast<unsigned>(kBulkUnit) - 1;
  return address ^ (address >> 3 & units << 4);
}

// Calls `unit(shared, in_row, row)` for every 16 bytes of the box: where they lie in shared memory,
// how many bytes they begin behind the row's first element, and where the tensor's row is, null
// beyond the tensor.
void for_each_unit(const MappedTensor& map, const BoxPlace& place, auto* shared, const auto& unit) {
  const std::int64_t row_bytes = std::int64_t{map.box[0]} * map.element_bytes;
  const std::int64_t rows = map.box_bytes() / row_bytes;
  const auto first = reinterpret_cast<std::uintptr_t>(shared);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::uint8_t* start = map.address;
    std::int64_t left = row;
    for (std::size_t d = 1; d < map.rank; ++d) {
      const std::int64_t at = place.at(d) + left % map.box.at(d);
      left /= map.box.at(d);
      const bool is_inside = at >= 0 && at < map.dims.at(d);
      start = is_inside && start != nullptr ? start + at * map.stride_bytes.at(d) : nullptr;
    }
    for (std::int64_t in_row = 0; in_row < row_bytes; in_row += kBulkUnit) {
      const std::uintptr_t address =
          permuted(first + static_cast<std::uintptr_t>(row * row_bytes + in_row), map.swizzle);
      unit(shared + (address - first), std::int64_t{place[0]} * map.element_bytes + in_row, start);
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

}  // namespace

std::int64_t MappedTensor::box_bytes() const {
  std::int64_t bytes = element_bytes;
  for (std::size_t d = 0; d < rank; ++d) bytes *= box.at(d);
  return bytes;
}

std::optional<std::string> MappedTensor::error(int rank_of_copy, const BoxPlace& place,
                                               const void* shared) const {
  if (kind != kMapped) return "a copy of a box by what is no tensor map";
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
  return std::nullopt;
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
    result.box.at(d) = static_cast<std::uint16_t>(map.box[d]);
  }
  return result;
}

void fetch_box(const MappedTensor& map, const BoxPlace& place, std::uint8_t* shared) {
  for_each_unit(map, place, shared,
                [&](std::uint8_t* target, std::int64_t in_row, const std::uint8_t* row) {
                  const std::int64_t count = inside(map, row, in_row);
                  if (count < kBulkUnit) std::memset(target, 0, kBulkUnit);
                  if (count > 0) copy_unit(target, row + in_row, count);
                });
}

void store_box(const MappedTensor& map, const BoxPlace& place, const std::uint8_t* shared) {
  for_each_unit(map, place, shared,
                [&](const std::uint8_t* source, std::int64_t in_row, std::uint8_t* row) {
                  const std::int64_t count = inside(map, row, in_row);
                  if (count > 0) copy_unit(row + in_row, source, count);
                });
}

}  // namespace tilewright::host
