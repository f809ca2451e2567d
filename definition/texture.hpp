#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "definition/field_list.hpp"
#include "tilewright/element_type.hpp"

namespace tilewright {

// How a kernel reads an input buffer as a texture: what CUDA calls a texture object. The lists have
// the enumerators' order; bundles hold their numbers, so new ones come last.

// Where the elements are: in a CUDA array, a copy in an order of the hardware's own, or in the
// buffer itself.
enum class TextureMemory { array, linear };
inline constexpr std::array kTextureMemories = {"array", "linear"};

// Which element stands for one beyond the edge.
enum class TextureAddress { clamp, border, wrap, mirror };
inline constexpr std::array kTextureAddresses = {"clamp", "border", "wrap", "mirror"};

enum class TextureFilter { point, linear };
inline constexpr std::array kTextureFilters = {"point", "linear"};

// normalized: integers of 8 and 16 bits are read as float from 0 or -1 to 1.
enum class TextureRead { element, normalized };
inline constexpr std::array kTextureReads = {"element", "normalized"};

// normalized: 1 is the length of the texture.
enum class TextureCoordinates { element, normalized };
inline constexpr std::array kTextureCoordinates = {"element", "normalized"};

// Of one of the lists.
template <class Enum, std::size_t kCount>
constexpr const char* label_of(const std::array<const char*, kCount>& labels, Enum mode) {
  return labels.at(static_cast<std::size_t>(mode));
}

inline constexpr std::size_t kMostTextureDimensions = 3;

struct TextureModes {
  TextureMemory memory = TextureMemory::array;
  std::array<TextureAddress, kMostTextureDimensions> address = {};  // by dimension
  TextureFilter filter = TextureFilter::point;
  TextureRead read = TextureRead::element;
  TextureCoordinates coordinates = TextureCoordinates::element;

  bool operator==(const TextureModes&) const = default;
};

TILEWRIGHT_LIST_FIELDS(always, TextureModes, memory, address, filter, read, coordinates);

// As a manifest describes it. The modes are expressions whose values are labels.
struct Texture {
  std::vector<Expression> dims;     // elements, neighbours first
  std::vector<Expression> strides;  // elements, of every dimension but the first; none: no gaps
  std::vector<Expression> memory;   // this and the others but `address` are one expression
  std::vector<Expression> address;  // one for all dimensions, or one for each
  std::vector<Expression> filter;
  std::vector<Expression> read;
  std::vector<Expression> coordinates;
};

TILEWRIGHT_LIST_FIELDS(by_hand, Texture, dims, strides, memory, address, filter, read, coordinates);

// The only list of the modes. The first label is the default.
struct TextureMode {
  const char* key;  // in manifests
  std::span<const char* const> labels;
  std::vector<Expression> Texture::*written;
};
inline constexpr std::array kTextureModes = std::to_array<TextureMode>({
    {"memory", kTextureMemories, &Texture::memory},
    {"address", kTextureAddresses, &Texture::address},
    {"filter", kTextureFilters, &Texture::filter},
    {"read", kTextureReads, &Texture::read},
    {"coordinates", kTextureCoordinates, &Texture::coordinates},
});

// REQUIRES that every value is one of the mode's labels. Throws ExpressionError.
TextureModes modes_of(const Texture& texture, const Scope& scope);

// The first rule of CUDA that a texture with so many dimensions breaks, in one sentence.
std::optional<std::string> texture_mode_error(const TextureModes& modes, std::size_t dimensions,
                                              ElementType type);

}  // namespace tilewright
