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
constexpr std::int64_t kMostPixels = 1024;                     // of a copy in im2col mode
constexpr std::int64_t kMostElementStride = 8;
// With 3, 4 and 5 dimensions a corner is from −limit to limit − 1.
constexpr std::array<std::int64_t, 3> kCornerLimits = {32768, 128, 16};
constexpr std::int64_t kUnit = kTensorMapAlignment;  // of strides and of rows of the box
constexpr std::array<std::int64_t, 4> kSwizzles = {0, 32, 64, 128};
constexpr std::array<std::int64_t, 4> kPromotions = {0, 64, 128, 256};

Found check_range(const char* what, const std::vector<std::int64_t>& numbers, std::int64_t least,
                  std::int64_t most) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] < least || numbers[i] > most)
      return fmt::format("{}[{}] = {}; it must be {} to {}", what, i, numbers[i], least, most);
  return std::nullopt;
}

Found check_rank(const PlannedTensorMap& map) {
  const std::size_t rank = map.dims.size();
  const std::size_t corners = map.lower_corner.size();
  const bool is_im2col = map.is_im2col();
  const bool has_strides = !map.element_strides.empty();
  const std::size_t least = is_im2col || has_strides ? kLeastIm2colDimensions : 1;
  if (rank >= least && rank <= kMostTensorDimensions && map.strides.size() == rank - 1 &&
      map.box.size() == (is_im2col ? 2 : rank) && corners == (is_im2col ? rank - 2 : 0) &&
      map.upper_corner.size() == corners &&
      map.element_strides.size() == (is_im2col || has_strides ? rank - 2 : 0))
    return std::nullopt;
  return fmt::format(
      "{} dims, {} strides, {} sizes of the box, {} and {} numbers of corners and {} element "
      "strides; there must be {} to {} dims, one stride less, {}",
      rank, map.strides.size(), map.box.size(), corners, map.upper_corner.size(),
      map.element_strides.size(), least, kMostTensorDimensions,
      is_im2col ? "two sizes, and two fewer of all others than dims"
                : "as many sizes, no corners, and no element strides or two fewer than dims");
}

// Of a box, with the elements that it leaves out.
Found check_extents(const PlannedTensorMap& map) {
  Found found = check_range("element_strides", map.element_strides, 1, kMostElementStride);
  if (map.is_im2col()) return found;
  for (std::size_t i = 0; !found && i < map.element_strides.size(); ++i)
    if (const std::int64_t extent = map.extent(i + 1); extent > kMostInBox)
      found =
          fmt::format("box[{}] = {} with a stride of {} spans {} elements; it must not exceed {}",
                      i + 1, map.box[i + 1], map.element_strides[i], extent, kMostInBox);
  return found;
}

// In im2col mode.
Found check_pixels(const PlannedTensorMap& map) {
  if (!map.is_im2col()) return std::nullopt;
  const std::int64_t limit = kCornerLimits.at(map.dims.size() - kLeastIm2colDimensions);
  Found found = check_range("box", {map.box[0]}, 1, kMostInBox);
  if (!found) found = check_range("lower_corner", map.lower_corner, -limit, limit - 1);
  if (!found) found = check_range("upper_corner", map.upper_corner, -limit, limit - 1);
  for (std::size_t i = 0; !found && i < map.lower_corner.size(); ++i)
    if (map.dims[i + 1] - 1 + map.upper_corner[i] < map.lower_corner[i])
      found = fmt::format(
          "lower_corner[{0}] = {1} and upper_corner[{0}] = {2}; no pixel of dims[{3}] = {4} is "
          "between them",
          i, map.lower_corner[i], map.upper_corner[i], i + 1, map.dims[i + 1]);
  return found;
}

Found check_nan_fill(const PlannedTensorMap& map) {
  if (!map.nan_fill || (facts_of(map.type).kind == ElementKind::floating && size_of(map.type) > 1))
    return std::nullopt;
  return fmt::format(
      "nan_fill with elements of {}; it is for floating-point numbers of 16 bits or more",
      to_text(map.type));
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
  if (!found) found = check_range("dims", map.dims, 1, kMostElements);
  if (!found) found = check_strides(map);
  if (!found) found = check_pixels(map);
  if (!found) found = check_range("box", map.box, 1, map.is_im2col() ? kMostPixels : kMostInBox);
  if (!found) found = check_extents(map);
  if (!found) found = check_nan_fill(map);
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

bool lies_within(const PlannedArgument& workspace_map, std::int64_t bytes) {
  const PlannedTensorMap& map = workspace_map.map;
  const auto size = static_cast<std::int64_t>(size_of(map.type));
  return lies_within(map.dims, map.strides, (bytes - workspace_map.offset) / size);
}

}  // namespace tilewright
