#include "definition/toml/toml_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "definition/text/errors.hpp"
#include "definition/text/text_file.hpp"

namespace tilewright {
namespace {

TomlPosition position_of(const toml::source_position& position) {
  return {static_cast<std::size_t>(position.line), static_cast<std::size_t>(position.column)};
}

TomlNode convert(const toml::node& source) {
  using Kind = TomlNode::Kind;
  TomlNode node;
  node.position = position_of(source.source().begin);
  if (const auto* boolean = source.as_boolean()) {
    node.kind = Kind::boolean;
    node.integer = boolean->get() ? 1 : 0;
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

// Walks through the text, and skips strings and comments.
class DepthScan {
 public:
  explicit DepthScan(std::string_view text) : text_(text) {}

  std::optional<TomlPosition> run() {
    while (at_ < text_.size()) {
      step(text_[at_]);
      if (depth_ + parts_ > kDeepestToml) return place();
    }
    return std::nullopt;
  }

 private:
  void step(char c) {
    if (c == '"' || c == '\'') return skip_string(c);
    if (c == '#') return skip_comment();
    ++at_;
    if (c == '\n' && outer_.empty()) return end_line();
    if (c == '.') ++parts_;  // also in a number, which has at most one
    if (c == ',') parts_ = 0;
    if (c == '[' || c == '{') open();
    if (c == ']' || c == '}') close();
    line_is_blank_ = line_is_blank_ && (c == ' ' || c == '\t');
  }

  // The keys of the next lines are below the header.
  void end_line() {
    if (is_header_) header_ = parts_ + 2;  // [[a.b]] has b and its elements
    depth_ = header_;
    parts_ = 0;
    is_header_ = false;
    line_is_blank_ = true;
  }

  // A bracket that begins a line outside a value begins a header.
  void open() {
    if (line_is_blank_ && outer_.empty()) {
      is_header_ = true;
      depth_ = 0;
    }
    if (is_header_) return;
    outer_.push_back(depth_);
    depth_ += parts_ + 1;
    parts_ = 0;
  }

  void close() {
    if (is_header_ || outer_.empty()) return;
    depth_ = outer_.back();
    outer_.pop_back();
    parts_ = 0;
  }

  void skip_comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  // A string in three quotes may end with up to two more. Any other ends with its line.
  void skip_string(char quote) {
    line_is_blank_ = false;
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_, 3) == three;
    const std::string_view end = is_long ? std::string_view(three) : text_.substr(at_, 1);
    for (at_ += end.size(); at_ < text_.size() && text_.substr(at_, end.size()) != end; ++at_) {
      if (text_[at_] == '\n' && !is_long) return;
      if (text_[at_] == '\\' && quote == '"') ++at_;
    }
    at_ += end.size();
    for (int more = 0; is_long && more < 2 && at_ < text_.size() && text_[at_] == quote; ++more)
      ++at_;
  }

  TomlPosition place() const {
    const std::string_view before = text_.substr(0, at_);
    const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const std::size_t last = before.rfind('\n');
    return {lines + 1, last == std::string_view::npos ? at_ : at_ - last - 1};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;           // where the present key or value stands
  std::size_t parts_ = 0;           // dots in the present key
  std::size_t header_ = 0;          // levels of the last [header]
  std::vector<std::size_t> outer_;  // depth_ outside each open bracket
  bool is_header_ = false;          // in a line that is one
  bool line_is_blank_ = true;       // so far
};

}  // namespace

std::string_view kind_name(const TomlNode& node) {
  constexpr std::array kNames = {"a boolean", "an integer",     "a number with a fraction",
                                 "a string",  "a date or time", "an array",
                                 "a table"};
  return kNames.at(static_cast<std::size_t>(node.kind));
}

void TomlFile::fail(const TomlPosition& position, const std::string& sentence) const {
  throw bad_input("{}:{}:{}: {}", path.string(), position.line, position.column, sentence);
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
    file.fail(*place, "nests deeper than {} levels", kDeepestToml);
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

std::optional<TomlPosition> too_deep_place(std::string_view text) {
  return DepthScan(text).run();
}

}  // namespace tilewright
