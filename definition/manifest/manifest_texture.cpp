#include <fmt/format.h>

#include <algorithm>

#include "definition/manifest/expression_check.hpp"
#include "definition/manifest/manifest_parts.hpp"

namespace tilewright {
namespace {

// A label stands for itself, as a type's name does; everything else is an expression.
Expression mode_expression(const TableReader& table, const TextureMode& mode,
                           const TomlNode& node) {
  if (node.kind == TomlNode::Kind::text &&
      std::ranges::find(mode.labels, node.text) != mode.labels.end())
    return Expression::parse("'" + node.text + "'");
  return table.expression_of(mode.key, node);
}

std::vector<Expression> read_mode(const TableReader& table, const TextureMode& mode,
                                  std::size_t dimensions) {
  const TomlNode* const node = table.find(mode.key);
  if (node == nullptr) return {Expression::parse(fmt::format("'{}'", mode.labels.front()))};
  const bool may_be_array = mode.written == &Texture::address;
  if (!may_be_array || node->kind != TomlNode::Kind::array)
    return {mode_expression(table, mode, *node)};
  std::vector<Expression> written;
  for (const TomlNode& element : table.elements(mode.key))
    written.push_back(mode_expression(table, mode, element));
  if (written.size() != dimensions)
    table.fail(*node, fmt::format("'{}' has one mode for all of 'dims' or one for each, {}, not {}",
                                  mode.key, dimensions, written.size()));
  return written;
}

std::vector<std::string> texts(std::span<const char* const> labels) {
  return {labels.begin(), labels.end()};
}

// The modes, if they do not depend on anything.
std::optional<TextureModes> written_modes(const Texture& texture) {
  try {
    return modes_of(texture, [](std::string_view) { return std::nullopt; });
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> texture_keys() {
  std::vector<std::string> keys = {"dims", "strides"};
  for (const TextureMode& mode : kTextureModes) keys.emplace_back(mode.key);
  return keys;
}

Texture read_texture(const TableReader& table) {
  Texture texture;
  texture.dims = read_numbers(table, "dims");
  texture.strides = read_numbers(table, "strides");
  const std::size_t dimensions = texture.dims.size();
  if (dimensions == 0 || dimensions > kMostTextureDimensions)
    table.fail(table.need("dims"), fmt::format("'dims' of a texture has 1 to {} numbers, not {}",
                                               kMostTextureDimensions, dimensions));
  if (table.has("strides") && texture.strides.size() + 1 != dimensions)
    table.fail(table.need("strides"),
               fmt::format("'strides' has a number for each of 'dims' but the first, {}, not {}",
                           dimensions - 1, texture.strides.size()));
  for (const TextureMode& mode : kTextureModes)
    texture.*mode.written = read_mode(table, mode, dimensions);
  return texture;
}

void check_texture(const ExpressionCheck& checker, const std::string& key,
                   const LaunchArgument& launched, const Operation& operation) {
  const Texture& texture = launched.texture;
  checker.check_each(key + ".dims", texture.dims);
  checker.check_each(key + ".strides", texture.strides);
  for (const TextureMode& mode : kTextureModes)
    for (const Expression& written : texture.*mode.written)
      checker.check_label(fmt::format("{}.{}", key, mode.key), written, texts(mode.labels));
  const auto argument = std::ranges::find(operation.arguments, launched.name, &Argument::name);
  const std::optional<TextureModes> modes = written_modes(texture);
  if (!modes || argument == operation.arguments.end() || argument->computed_type) return;
  if (const auto error = texture_mode_error(*modes, texture.dims.size(), argument->type))
    checker.fail(key, *error);
}

}  // namespace tilewright
