#include "definition/texture.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {
namespace {

using Found = std::optional<std::string>;

// The enumerator whose label the expression gives.
template <class Enum>
Enum mode_of(const Expression& written, std::span<const char* const> labels, const Scope& scope) {
  const std::string label = to_text(written.value(scope));
  const auto found = std::ranges::find(labels, label);
  if (found == labels.end()) throw ExpressionError(fmt::format("no mode '{}'", label), 0);
  return static_cast<Enum>(found - labels.begin());
}

bool is_short_integer(ElementType type) {
  return is_integer(type) && size_of(type) <= 2;
}

Found check_type(ElementType type) {
  const bool is_held = type == ElementType::float32 || type == ElementType::float16 ||
                       type == ElementType::complex64 || (is_integer(type) && size_of(type) <= 4);
  if (is_held) return std::nullopt;
  return fmt::format(
      "a texture has elements of float32, float16, complex64 or integers of 8, 16 or 32 bits, not "
      "of {}",
      to_text(type));
}

Found check_reading(const TextureModes& modes, ElementType type) {
  const bool is_normalized = modes.read == TextureRead::normalized;
  if (is_normalized && !is_short_integer(type))
    return fmt::format("read = 'normalized' is for integers of 8 and 16 bits, not for {}",
                       to_text(type));
  if (modes.filter == TextureFilter::linear && is_integer(type) && !is_normalized)
    return fmt::format("filter = 'linear' is for elements that are read as float, and {} is {}",
                       to_text(type),
                       is_short_integer(type) ? "only with read = 'normalized'" : "not");
  return std::nullopt;
}

Found check_address(const TextureModes& modes, std::size_t dimensions) {
  if (modes.coordinates == TextureCoordinates::normalized) return std::nullopt;
  for (std::size_t i = 0; i < dimensions; ++i)
    if (const TextureAddress address = modes.address.at(i);
        address == TextureAddress::wrap || address == TextureAddress::mirror)
      return fmt::format("address = '{}' needs coordinates = 'normalized'",
                         label_of(kTextureAddresses, address));
  return std::nullopt;
}

Found check_linear_memory(const TextureModes& modes, std::size_t dimensions) {
  if (modes.memory != TextureMemory::linear || dimensions == 2) return std::nullopt;
  if (dimensions > 2)
    return fmt::format("memory = 'linear' is for 1 or 2 dimensions, not for {}", dimensions);
  if (modes.filter == TextureFilter::point && modes.coordinates == TextureCoordinates::element &&
      modes.address.front() == TextureAddress::clamp)
    return std::nullopt;
  return "memory = 'linear' in one dimension is read by tex1Dfetch, which has no filter, no "
         "address "
         "and no normalized coordinates";
}

}  // namespace

TextureModes modes_of(const Texture& texture, const Scope& scope) {
  TextureModes modes;
  modes.memory = mode_of<TextureMemory>(texture.memory.at(0), kTextureMemories, scope);
  for (std::size_t i = 0; i < texture.dims.size(); ++i)
    modes.address.at(i) = mode_of<TextureAddress>(
        texture.address.at(texture.address.size() == 1 ? 0 : i), kTextureAddresses, scope);
  modes.filter = mode_of<TextureFilter>(texture.filter.at(0), kTextureFilters, scope);
  modes.read = mode_of<TextureRead>(texture.read.at(0), kTextureReads, scope);
  modes.coordinates =
      mode_of<TextureCoordinates>(texture.coordinates.at(0), kTextureCoordinates, scope);
  return modes;
}

std::optional<std::string> texture_mode_error(const TextureModes& modes, std::size_t dimensions,
                                              ElementType type) {
  Found found = check_type(type);
  if (!found) found = check_reading(modes, type);
  if (!found) found = check_address(modes, dimensions);
  if (!found) found = check_linear_memory(modes, dimensions);
  return found;
}

}  // namespace tilewright
