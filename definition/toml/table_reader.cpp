#include "definition/toml/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "definition/expression/expression_lexer.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

// What other tuners call it counts as a misspelling.
std::string suggested_key(const std::string& key, const std::vector<std::string>& known) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOtherNames = {
      {{"restriction", "constraint"}, {"tune_param", "parameter"}}};
  for (const auto& [other, own] : kOtherNames)
    if (key.starts_with(other) && is_among(own, known)) return suggestion(own, known, known.size());
  return suggestion(key, known, known.size());
}

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && starts_name(text.front()) &&
         std::ranges::all_of(text, continues_name);
}

bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && is_lower(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

TableReader::TableReader(const TomlFile& file, const TomlNode& table, std::string what)
    : file_(&file), table_(&table), what_(std::move(what)) {
  if (table.kind != TomlNode::Kind::table)
    fail(table, fmt::format("{} must be a table, not {}", what_, kind_name(table)));
}

TableReader::TableReader(const TomlFile& file, const TomlNode& table, std::string what,
                         const std::vector<std::string>& known)
    : TableReader(file, table, std::move(what)) {
  for (const auto& [key, value] : table.entries)
    if (!is_among(key, known))
      fail(value.key_position, fmt::format("unknown key '{}' in {}{}", beginning_of(key), what_,
                                           suggested_key(key, known)));
}

const TomlNode* TableReader::find(const std::string& key) const {
  const auto entry = table_->entries.find(key);
  return entry == table_->entries.end() ? nullptr : &entry->second;
}

const TomlNode& TableReader::need(const std::string& key) const {
  const TomlNode* found = find(key);
  if (found == nullptr) fail(*table_, fmt::format("{} lacks '{}'", what_, key));
  return *found;
}

std::string TableReader::text_of(const std::string& key, const TomlNode& node) const {
  if (node.kind != TomlNode::Kind::text) fail_kind(key, node, "a string");
  return node.text;
}

std::string TableReader::text(const std::string& key) const {
  const TomlNode& node = need(key);
  std::string value = text_of(key, node);
  if (value.empty()) fail(node, fmt::format("'{}' must not be empty", key));
  return value;
}

std::string TableReader::text(const std::string& key, std::string_view fallback) const {
  const TomlNode* node = find(key);
  return node == nullptr ? std::string(fallback) : text_of(key, *node);
}

std::string TableReader::identifier(const std::string& key) const {
  std::string value = text(key);
  require_identifier(need(key).position, value, "a name");
  return value;
}

void TableReader::require_identifier(const TomlPosition& at, const std::string& text,
                                     std::string_view what) const {
  if (is_identifier(text)) return;
  fail(at, fmt::format("'{}' is not {}; a name has letters, digits and '_', does not begin with a "
                       "digit, and has at most {} characters",
                       beginning_of(text), what, kLongestName));
}

std::string TableReader::label_of(const std::string& key, const TomlNode& node) const {
  std::string label = text_of(key, node);
  if (!is_label(label))
    fail(node, fmt::format("'{}' is not a label; a label is a lower-case word of letters, digits "
                           "and '_', begins with a letter, and has at most {} characters",
                           beginning_of(label), kLongestName));
  return label;
}

std::int64_t TableReader::integer(const std::string& key) const {
  const TomlNode& node = need(key);
  if (node.kind != TomlNode::Kind::integer) fail_kind(key, node, "an integer");
  return node.integer;
}

std::int64_t TableReader::integer(const std::string& key, std::int64_t fallback) const {
  return has(key) ? integer(key) : fallback;
}

double TableReader::number(const std::string& key) const {
  const TomlNode& node = need(key);
  if (node.kind == TomlNode::Kind::integer) return static_cast<double>(node.integer);
  if (node.kind != TomlNode::Kind::real) fail_kind(key, node, "a number");
  if (!std::isfinite(node.real)) fail(node, fmt::format("'{}' must be finite", key));
  return node.real;
}

double TableReader::number(const std::string& key, double fallback) const {
  return has(key) ? number(key) : fallback;
}

Expression TableReader::expression_of(const std::string& key, const TomlNode& node) const {
  if (node.kind == TomlNode::Kind::integer || node.kind == TomlNode::Kind::boolean)
    return Expression(node.integer);
  if (node.kind != TomlNode::Kind::text)
    fail_kind(key, node, "an expression (a string, an integer, true or false)");
  try {
    Expression parsed = Expression::parse(node.text, file_->terms);
    const std::size_t size = parsed.text().size(), written = parsed.written().size();
    *file_->term_text +=
        size > written ? size - written : 0;  // a term may be shorter than its name
    if (*file_->term_text <= kMostTermText) return parsed;
  } catch (const ExpressionError& error) {
    file_->fail_in_text(node, error.position(),
                        fmt::format("'{}' is not an expression: {}", key, error.what()));
  }
  fail(node, fmt::format("terms have added more than {} characters to the expressions so far; use "
                         "shorter terms, or in fewer expressions",
                         kMostTermText));
}

Expression TableReader::made_expression(const TomlNode& node, const std::string& text) const {
  try {
    return Expression::parse(text);
  } catch (const ExpressionError& error) {
    fail(node, fmt::format("the expression that it becomes: {}", error.what()));
  }
}

Expression TableReader::expression(const std::string& key) const {
  return expression_of(key, need(key));
}

Expression TableReader::expression(const std::string& key, const Expression& fallback) const {
  const TomlNode* node = find(key);
  return node == nullptr ? fallback : expression_of(key, *node);
}

std::optional<Expression> TableReader::optional_expression(const std::string& key) const {
  const TomlNode* node = find(key);
  if (node == nullptr) return std::nullopt;
  return expression_of(key, *node);
}

void TableReader::refuse(const std::vector<std::string>& keys, const std::string& reason) const {
  for (const std::string& key : keys)
    if (const TomlNode* node = find(key))
      fail(node->key_position, fmt::format("'{}' does not go with {}", key, reason));
}

const std::vector<TomlNode>& TableReader::elements(const std::string& key) const {
  static const auto& kNone = *new const std::vector<TomlNode>;
  const TomlNode* node = find(key);
  if (node == nullptr) return kNone;
  if (node->kind != TomlNode::Kind::array) fail_kind(key, *node, "an array");
  if (node->elements.size() > kMostElements)
    fail(*node, fmt::format("'{}' has {} elements; the most is {}", key, node->elements.size(),
                            kMostElements));
  return node->elements;
}

std::vector<std::string> TableReader::texts(const std::string& key) const {
  std::vector<std::string> values;
  for (const TomlNode& element : elements(key)) values.push_back(line_of(key, element));
  return values;
}

std::vector<Expression> TableReader::expressions(const std::string& key) const {
  std::vector<Expression> values;
  for (const TomlNode& element : elements(key)) values.push_back(expression_of(key, element));
  return values;
}

std::string TableReader::line_of(const std::string& key, const TomlNode& node) const {
  std::string value = text_of(key, node);
  if (visible_line(value) != value)
    fail(node, fmt::format("'{}' must be UTF-8 on one line, without control characters", key));
  return value;
}

std::size_t TableReader::place_among(const std::string& key,
                                     const std::vector<std::string>& names) const {
  const TomlNode& node = need(key);
  const auto found = std::ranges::find(names, text_of(key, node));
  if (found == names.end())
    fail(node, fmt::format("'{}' cannot be '{}'{}", key, node.text, suggestion(node.text, names)));
  return static_cast<std::size_t>(found - names.begin());
}

void TableReader::fail_kind(const std::string& key, const TomlNode& node,
                            std::string_view wanted) const {
  fail(node, fmt::format("'{}' must be {}, not {}", key, wanted, kind_name(node)));
}

}  // namespace tilewright
