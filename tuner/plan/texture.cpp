#include <fmt/format.h>

#include <array>

#include "tuner/plan/launch_plan.hpp"

namespace tilewright {
namespace {

using Found = std::optional<std::string>;
using Limits = std::array<std::int64_t, kMostTextureDimensions>;

// Elements along each dimension, by the number of dimensions. Linear memory has no third.
constexpr std::array<Limits, kMostTextureDimensions> kArrayLimits = {
    {{131072, 1, 1}, {131072, 65536, 1}, {16384, 16384, 16384}}};
constexpr std::array<Limits, 2> kLinearLimits = {{{1 << 27, 1, 1}, {131072, 65000, 1}}};
constexpr std::int64_t kRowAlignment = 32;         // bytes, of rows in linear memory
constexpr std::int64_t kMostRowBytes = 2'097'120;  // of rows in linear memory

bool is_linear(const PlannedTexture& texture) {
  return texture.modes.memory == TextureMemory::linear;
}

Found check_shape(const PlannedTexture& texture) {
  const std::size_t count = texture.dims.size();
  if (count >= 1 && count <= kMostTextureDimensions && texture.strides.size() == count - 1)
    return std::nullopt;
  return fmt::format("{} dims and {} strides; there must be 1 to {} dims, and one stride less",
                     count, texture.strides.size(), kMostTextureDimensions);
}

Found check_components(const PlannedTexture& texture) {
  const std::int64_t count = components_of(texture);
  if (count == 1 || count == 2 || count == 4) return std::nullopt;
  return fmt::format("an element has {} numbers; it must have 1, 2 or 4", count);
}

Found check_dims(const PlannedTexture& texture) {
  const std::size_t count = texture.dims.size();
  const Limits& most =
      is_linear(texture) ? kLinearLimits.at(count - 1) : kArrayLimits.at(count - 1);
  for (std::size_t i = 0; i < count; ++i)
    if (texture.dims[i] < 1 || texture.dims[i] > most.at(i))
      return fmt::format("dims[{}] = {}; with memory = '{}' and {} dimension{} it must be 1 to {}",
                         i, texture.dims[i], label_of(kTextureMemories, texture.modes.memory),
                         count, count == 1 ? "" : "s", most.at(i));
  return std::nullopt;
}

// Rows follow one another, and slices are whole rows apart, as copies to arrays need it.
Found check_strides(const PlannedTexture& texture) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;  // elements
  const std::vector<std::int64_t>& strides = texture.strides;
  if (strides.empty()) return std::nullopt;
  if (strides[0] < texture.dims[0] || strides[0] >= kMost)
    return fmt::format("strides[0] = {}; a row has {} elements, and the next one follows it",
                       strides[0], texture.dims[0]);
  if (strides.size() == 1) return std::nullopt;
  if (strides[1] % strides[0] != 0 || strides[1] / strides[0] < texture.dims[1] ||
      strides[1] >= kMost)
    return fmt::format("strides[1] = {}; it must be a multiple of strides[0], {}, at least {} rows",
                       strides[1], strides[0], texture.dims[1]);
  return std::nullopt;
}

Found check_linear_rows(const PlannedTexture& texture) {
  if (!is_linear(texture) || texture.strides.empty()) return std::nullopt;
  const std::int64_t bytes = texture.strides[0] * texture.element_bytes();
  if (bytes % kRowAlignment == 0 && bytes <= kMostRowBytes) return std::nullopt;
  return fmt::format(
      "a row is {} bytes; with memory = 'linear' it must be a multiple of {}, at most {}", bytes,
      kRowAlignment, kMostRowBytes);
}

}  // namespace

std::int64_t components_of(const PlannedTexture& texture) {
  return facts_of(texture.type).kind == ElementKind::complex ? 2 * texture.lanes : texture.lanes;
}

std::optional<std::string> texture_error(const PlannedTexture& texture) {
  Found found = check_shape(texture);
  if (!found) found = texture_mode_error(texture.modes, texture.dims.size(), texture.type);
  if (!found) found = check_components(texture);
  if (!found) found = check_dims(texture);
  if (!found) found = check_strides(texture);
  if (!found) found = check_linear_rows(texture);
  return found;
}

bool lies_within(const PlannedTexture& texture, std::int64_t count) {
  if (texture.lanes < 1 || texture.strides.size() + 1 != texture.dims.size()) return true;
  return lies_within(texture.dims, texture.strides, count / texture.lanes);
}

TextureExtent extent_of(const PlannedTexture& texture) {
  TextureExtent extent;
  const std::size_t count = texture.dims.size();
  extent.width = texture.dims[0];
  if (count > 1) extent.height = texture.dims[1];
  if (count > 2) extent.depth = texture.dims[2];
  const std::int64_t row = count > 1 ? texture.strides[0] : texture.dims[0];
  extent.row_bytes = row * texture.element_bytes();
  extent.rows_per_slice = count > 2 ? texture.strides[1] / row : extent.height;
  return extent;
}

}  // namespace tilewright
