// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// Lines and columns count from 1; 0: not known.
struct TomlPosition {
  std::size_t line = 0;
  std::size_t column = 0;
};

// A value of a TOML file with its place. A plain tree of our own, so that one source file alone
// pays for the TOML library.
struct TomlNode {
  enum class Kind { boolean, integer, real, text, date, array, table } kind = Kind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<TomlNode> elements;
  std::map<std::string, TomlNode> entries;  // a TOML table has no order that could be kept
  TomlPosition position;
  TomlPosition key_position;  // of entries: where the key stands
};

// "an integer", "a table", … for messages.
std::string_view kind_name(const TomlNode& node);

struct TomlFile {
  std::filesystem::path path;
  std::vector<std::string> lines;
  TomlNode root;
  bool is_in_folder = true;  // false: a text alone, `path` is a name for messages

  // Throws InputError `file:line:column: sentence`.
  [[noreturn]] void fail(const TomlPosition& position, const std::string& sentence) const;
  // The same for character `offset` of the string that `node` holds; of one that spans lines,
  // its beginning.
  [[noreturn]] void fail_in_text(const TomlNode& node, std::size_t offset,
                                 const std::string& sentence) const;
};

// Throws InputError: missing, a directory, unreadable, or not TOML.
TomlFile read_toml(const std::filesystem::path& path);

// The same for a text that is in no folder.
TomlFile parse_toml(const std::string& text, const std::string& name);

// The node at a path of keys and indices such as `implementation[0].launch[1].grid[2]`; null if
// there is none.
const TomlNode* find_node(const TomlNode& root, std::string_view path);

}  // namespace tilewright
