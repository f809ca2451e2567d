#include "definition/toml/toml_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "definition/text/text_file.hpp"
#include "definition/toml/toml_depth.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

TomlPosition position_of(const toml::source_position& position) {
  return {static_cast<std::size_t>(position.line), static_cast<std::size_t>(position.column)};
}

TomlNode convert(const toml::node& source) {
  using Kind = TomlNode::Kind;
  TomlNode node;
  node.position = position_of(source.source().begin);
  if (source.is_boolean()) {
    node.kind = Kind::boolean;
  } else if (const auto* integer = source.as_integer()) {
    node.kind = Kind::integer;
    node.integer = integer->get();
  } else if (const auto* real = source.as_floating_point()) {
    node.kind = Kind::real;
    node.real = real->get();
  } else if (const auto* text = source.as_string()) {
    node.kind = Kind::text;
    node.text = text->get();
  } else if (const auto* array = source.as_array()) {
    node.kind = Kind::array;
    for (const toml::node& element : *array) node.elements.push_back(convert(element));
  } else if (const auto* table = source.as_table()) {
    node.kind = Kind::table;
    for (const auto& [key, value] : *table) {
      TomlNode& entry = node.entries[std::string(key.str())];
      entry = convert(value);
      entry.key_position = position_of(key.source().begin);
    }
  } else {
    node.kind = Kind::date;
  }
  return node;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string_view kind_name(const TomlNode& node) {
  switch (node.kind) {
    case TomlNode::Kind::boolean:
      return "a boolean";
    case TomlNode::Kind::integer:
      return "an integer";
    case TomlNode::Kind::real:
      return "a number with a fraction";
    case TomlNode::Kind::text:
      return "a string";
    case TomlNode::Kind::date:
      return "a date or time";
    case TomlNode::Kind::array:
      return "an array";
    case TomlNode::Kind::table:
      return "a table";
  }
  return "a value";
}

void TomlFile::fail(const TomlPosition& position, const std::string& sentence) const {
  throw InputError(
      fmt::format("{}:{}:{}: {}", path.string(), position.line, position.column, sentence));
}

void TomlFile::fail_in_text(const TomlNode& node, std::size_t offset,
                            const std::string& sentence) const {
  TomlPosition position = node.position;
  const bool known = lines && position.line >= 1 && position.line <= lines->size();
  const std::string line = known ? (*lines)[position.line - 1] : std::string();
  const bool spans_lines =
      line.find("\"\"\"") != std::string::npos || line.find("'''") != std::string::npos;
  if (node.kind == TomlNode::Kind::text && known && !spans_lines) position.column += 1 + offset;
  fail(position, sentence);
}

TomlFile read_toml(const std::filesystem::path& path) {
  TomlFile file = parse_toml(read_text_file(path, kManifestFile), path.string());
  file.is_in_folder = true;
  return file;
}

TomlFile parse_toml(const std::string& text, const std::string& name) {
  const auto lines = std::make_shared<const std::vector<std::string>>(split_lines(text));
  TomlFile file{name, lines, {}, false, {}};
  if (const auto place = too_deep_place(text))
    file.fail(*place, fmt::format("nests deeper than {} levels", kDeepestToml));
  try {
    file.root = convert(toml::parse(std::string_view(text), name));
  } catch (const toml::parse_error& error) {
    file.fail(position_of(error.source().begin), std::string(error.description()));
  }
  return file;
}

const TomlNode* find_node(const TomlNode& root, std::string_view path) {
  const TomlNode* node = &root;
  while (node != nullptr && !path.empty()) {
    if (path.front() == '[') {
      const std::size_t end = path.find(']');
      const std::size_t index = std::stoul(std::string(path.substr(1, end - 1)));
      node = index < node->elements.size() ? &node->elements[index] : nullptr;
      path.remove_prefix(end + 1);
    } else {
      if (path.front() == '.') path.remove_prefix(1);
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      const auto entry = node->entries.find(std::string(path.substr(0, end)));
      node = entry == node->entries.end() ? nullptr : &entry->second;
      path.remove_prefix(end);
    }
  }
  return node;
}

}  // namespace tilewright
