#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "definition/expression/expression.hpp"

namespace tilewright {

// Lines and columns count from 1; 0: not known.
struct TomlPosition {
  std::size_t line = 0;
  std::size_t column = 0;
};

// A value of a TOML file with its place. It is a tree of our own, so that only one source file
// includes the TOML library.
struct TomlNode {
  enum class Kind { boolean, integer, real, text, date, array, table } kind = Kind::table;
  std::int64_t integer = 0;  // of a boolean 0 or 1
  double real = 0;
  std::string text;
  std::vector<TomlNode> elements;
  std::map<std::string, TomlNode> entries;
  TomlPosition position;
  TomlPosition key_position;  // of the key, if this is an entry
};

// "an integer", "a table", … for messages.
std::string_view kind_name(const TomlNode& node);

struct TomlFile {
  std::filesystem::path path;
  std::shared_ptr<const std::vector<std::string>> lines;
  TomlNode root;
  bool is_in_folder = true;  // false: a text without a file; `path` is a name for messages
  Terms terms = {};          // that its expressions may use, while an implementation is read
  // Characters that terms have added to its expressions so far.
  std::shared_ptr<std::size_t> term_text = std::make_shared<std::size_t>(0);

  // Throws InputError `file:line:column: sentence`.
  [[noreturn]] void fail(const TomlPosition& position, const std::string& sentence) const;
  template <class Part, class... Parts>
  [[noreturn]] void fail(const TomlPosition& position, fmt::format_string<Part, Parts...> sentence,
                         Part&& part, Parts&&... parts) const {
    fail(position, fmt::format(sentence, std::forward<Part>(part), std::forward<Parts>(parts)...));
  }
  // The same for character `offset` of the string in `node`. If the string spans lines, the place
  // is its beginning.
  [[noreturn]] void fail_in_text(const TomlNode& node, std::size_t offset,
                                 const std::string& sentence) const;
};

// Throws InputError: missing, a directory, unreadable, or not TOML.
TomlFile read_toml(const std::filesystem::path& path);

// The same for a text without a file.
TomlFile parse_toml(const std::string& text, const std::string& name);

// The node at a path of keys and indices such as `implementation[0].launch[1].grid[2]`; null if
// there is none.
const TomlNode* find_node(const TomlNode& root, std::string_view path);

// The library that parses TOML calls itself once a level, and so do we. So what nests deeper is
// refused before it is parsed.
inline constexpr std::size_t kDeepestToml = 100;

// Where a text first nests deeper than kDeepestToml, by up to two levels too early; nothing if it
// never does. Each part of a dotted key, each array and each inline table is a level. In text that
// is not TOML, what follows the first mistake does not count.
std::optional<TomlPosition> too_deep_place(std::string_view text);

}  // namespace tilewright
