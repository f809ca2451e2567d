#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "definition/texture.hpp"

namespace tilewright {

// A Texture with every expression worked out.
struct PlannedTexture {
  int index = 0;  // position in Operation::arguments
  ElementType type = ElementType::float32;
  std::int64_t lanes = 1;             // numbers of `type` in an element: 1, 2 or 4
  std::vector<std::int64_t> dims;     // elements, neighbours first
  std::vector<std::int64_t> strides;  // elements, of every dimension but the first
  TextureModes modes = {};

  std::int64_t element_bytes() const { return lanes * static_cast<std::int64_t>(size_of(type)); }
  bool operator==(const PlannedTexture&) const = default;
};

template <>
inline constexpr auto kFields<PlannedTexture> =
    std::tuple_cat(TILEWRIGHT_FIELDS(always, PlannedTexture, index, type, lanes, dims, strides),
                   TILEWRIGHT_FIELDS(by_hand, PlannedTexture, modes));

// What a kernel gets as a cudaTextureObject_t.
using TextureHandle = unsigned long long;

// The most textures of one call.
inline constexpr std::size_t kMostTextures = 64;

// The numbers of an element as the hardware has them: a complex number has two.
std::int64_t components_of(const PlannedTexture& texture);

// The first rule that the texture breaks, in one sentence. The limits are those of every device
// since compute capability 6.0 (CUDA's programming guide, technical specifications).
std::optional<std::string> texture_error(const PlannedTexture& texture);

// Whether the texture ends within `count` numbers. True for an impossible one, which
// texture_error() reports.
bool lies_within(const PlannedTexture& texture, std::int64_t count);

// How the copy to an array walks through the buffer.
struct TextureExtent {
  std::int64_t width = 1;  // elements
  std::int64_t height = 1;
  std::int64_t depth = 1;
  std::int64_t row_bytes = 0;       // from one row to the next
  std::int64_t rows_per_slice = 1;  // from one slice to the next
};
// REQUIRES no texture_error().
TextureExtent extent_of(const PlannedTexture& texture);

}  // namespace tilewright
