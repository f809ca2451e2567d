#include "tuner/plan/launch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilewright {
namespace {

using Found = std::optional<std::string>;

constexpr std::int64_t kMostElements = std::int64_t{1} << 32;  // along one dimension
constexpr std::int64_t kStrideLimit = std::int64_t{1} << 40;   // bytes
constexpr std::int64_t kMostInBox = 256;                       // along one dimension
constexpr std::size_t kMostDimensions = 5;
constexpr std::int64_t kUnit = kTensorMapAlignment;  // of strides and of rows of the box
constexpr std::array<std::int64_t, 4> kSwizzles = {0, 32, 64, 128};
constexpr std::array<std::int64_t, 4> kPromotions = {0, 64, 128, 256};

Found check_range(const char* what, const std::vector<std::int64_t>& numbers, std::int64_t most) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] < 1 || numbers[i] > most)
      return fmt::format("{}[{}] = {}; it must be 1 to {}", what, i, numbers[i], most);
  return std::nullopt;
}

Found check_rank(const PlannedTensorMap& map) {
  const std::size_t rank = map.dims.size();
  if (rank >= 1 && rank <= kMostDimensions && map.strides.size() == rank - 1 &&
      map.box.size() == rank)
    return std::nullopt;
  return fmt::format(
      "{} dims, {} strides and {} sizes of the box; there must be 1 to {} dims, one "
      "stride less, and as many sizes",
      rank, map.strides.size(), map.box.size(), kMostDimensions);
}

Found check_strides(const PlannedTensorMap& map) {
  const auto size = static_cast<std::int64_t>(size_of(map.type));
  for (std::size_t i = 0; i < map.strides.size(); ++i) {
    const std::int64_t stride = map.strides[i];
    if (stride < 1 || stride >= kStrideLimit / size || stride * size % kUnit != 0)
      return fmt::format(
          "strides[{}] = {}, of {} bytes each; it must be a multiple of {} bytes, below 2^40", i,
          stride, size, kUnit);
  }
  return std::nullopt;
}

Found check_one_of(const char* what, std::int64_t number,
                   const std::array<std::int64_t, 4>& accepted) {
  if (std::ranges::find(accepted, number) != accepted.end()) return std::nullopt;
  return fmt::format("{} = {}; it must be {}, {}, {} or {} bytes", what, number, accepted[0],
                     accepted[1], accepted[2], accepted[3]);
}

Found check_inner_box(const PlannedTensorMap& map) {
  const std::int64_t bytes = map.box.front() * static_cast<std::int64_t>(size_of(map.type));
  if (bytes % kUnit != 0)
    return fmt::format("a row of the box is {} bytes; it must be a multiple of {}", bytes, kUnit);
  if (map.swizzle > 0 && bytes > map.swizzle)
    return fmt::format("a row of the box is {} bytes; with a swizzle of {} it must not exceed that",
                       bytes, map.swizzle);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> tensor_map_error(const PlannedTensorMap& map) {
  Found found = check_rank(map);
  if (!found) found = check_range("dims", map.dims, kMostElements);
  if (!found) found = check_strides(map);
  if (!found) found = check_range("box", map.box, kMostInBox);
  if (!found) found = check_one_of("swizzle", map.swizzle, kSwizzles);
  if (!found) found = check_one_of("promote", map.promote, kPromotions);
  if (!found) found = check_inner_box(map);
  return found;
}

std::optional<std::string> tensor_map_error(const PlannedArgument& argument) {
  if (argument.offset % kTensorMapAlignment != 0)
    return fmt::format("it begins {} bytes into the workspace; that must be a multiple of {}",
                       argument.offset, kTensorMapAlignment);
  return tensor_map_error(argument.map);
}

bool lies_within(const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& strides,
                 std::int64_t count) {
  std::int64_t left = count - 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t stride = i == 0 ? 1 : strides[i - 1];
    if (dims[i] < 1 || stride < 1) return true;
    if (left < 0 || dims[i] - 1 > left / stride) return false;
    left -= (dims[i] - 1) * stride;
  }
  return true;
}

bool lies_within(const PlannedTensorMap& map, std::int64_t count) {
  return lies_within(map.dims, map.strides, count);
}

bool lies_within(const PlannedArgument& workspace_map, std::int64_t workspace_bytes) {
  const std::int64_t bytes = workspace_bytes - workspace_map.offset;
  const PlannedTensorMap& map = workspace_map.map;
  return lies_within(map, bytes / static_cast<std::int64_t>(size_of(map.type)));
}

}  // namespace tilewright
