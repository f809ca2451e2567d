#include <fmt/format.h>

#include <algorithm>

#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

bool contains(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

Value read_value(const TableReader& table, const std::string& key, const TomlNode& node) {
  if (node.kind == TomlNode::Kind::integer) return node.integer;
  if (node.kind != TomlNode::Kind::text)
    table.fail(node, fmt::format("'{}' holds integers or labels, not {}", key, kind_name(node)));
  if (!is_label(node.text))
    table.fail(node, fmt::format("'{}' is not a label; a label has lower-case letters, digits and "
                                 "'_' and begins with a letter",
                                 node.text));
  return node.text;
}

// Adds values and refuses those that do not go together.
class ValueList {
 public:
  explicit ValueList(const TableReader& table) : table_(table) {}

  void add(const TomlNode& node, Value value) {
    if (values_.size() == kMostElements)
      table_.fail(node, fmt::format("'values' has more than {} values", kMostElements));
    if (!values_.empty() && value.index() != values_.front().index())
      table_.fail(node, "'values' are all integers or all labels, not both");
    if (contains(values_, value))
      table_.fail(node, fmt::format("the value {} is listed twice", to_text(value)));
    values_.push_back(std::move(value));
  }

  std::vector<Value> take() { return std::move(values_); }

 private:
  const TableReader& table_;
  std::vector<Value> values_;
};

// The next value of a range. Nothing if it is beyond every integer.
std::optional<std::int64_t> next_of(std::int64_t value, std::int64_t step, std::int64_t times) {
  std::int64_t next = 0;
  const bool is_beyond = times > 1 ? __builtin_mul_overflow(value, times, &next)
                                   : __builtin_add_overflow(value, step, &next);
  return is_beyond ? std::nullopt : std::optional(next);
}

// { from = 2, to = 20, step = 2 } or { from = 32, to = 1024, times = 2 }
void add_range(const TableReader& owner, const TomlNode& node, ValueList& values) {
  const TableReader table(owner.file(), node, "a range of 'values'",
                          {"from", "to", "step", "times"});
  const std::int64_t from = table.integer("from");
  const std::int64_t to = table.integer("to");
  if (table.has("times")) table.refuse({"step"}, "'times'");
  const std::int64_t step = table.integer("step", 1);
  const std::int64_t times = table.has("times") ? table.integer("times") : 1;
  if (from > to)
    table.fail(node, fmt::format("the range is empty: 'from' {} is above 'to' {}", from, to));
  if (step < 1)
    table.fail(table.need("step"), fmt::format("'step' is {}; it must be at least 1", step));
  if (table.has("times") && times < 2)
    table.fail(table.need("times"), fmt::format("'times' is {}; it must be at least 2", times));
  if (times > 1 && from < 1)
    table.fail(table.need("from"),
               fmt::format("'from' is {}; with 'times' it must be at least 1", from));
  for (std::optional<std::int64_t> value = from; value && *value <= to;
       value = next_of(*value, step, times))
    values.add(node, *value);
}

std::vector<Value> read_values(const TableReader& table) {
  const TomlNode& node = table.need("values");
  ValueList values(table);
  for (const TomlNode& element : table.elements("values"))
    if (element.kind == TomlNode::Kind::table)
      add_range(table, element, values);
    else
      values.add(element, read_value(table, "values", element));
  std::vector<Value> all = values.take();
  if (all.empty()) table.fail(node, "'values' must not be empty");
  return all;
}

Parameter read_parameter(const TableReader& table) {
  Parameter parameter;
  parameter.name = table.identifier("name");
  parameter.about = table.text("about", "");
  parameter.values = read_values(table);
  const TomlNode& node = table.need("default");
  parameter.default_value = read_value(table, "default", node);
  if (!contains(parameter.values, parameter.default_value))
    table.fail(node,
               fmt::format("the default {} is not in 'values'{}", to_text(parameter.default_value),
                           suggestion_of_value(parameter, parameter.default_value)));
  if (const TomlNode* absent = table.find("absent")) {
    parameter.absent = read_value(table, "absent", *absent);
    if (!contains(parameter.values, *parameter.absent))
      table.fail(*absent, fmt::format("'absent' is {}, which is not in 'values'{}",
                                      to_text(*parameter.absent),
                                      suggestion_of_value(parameter, *parameter.absent)));
  }
  table.read_expressions(parameter);
  return parameter;
}

}  // namespace

std::string suggestion_of_value(const Parameter& parameter, const Value& value) {
  std::vector<std::string> texts;
  for (const Value& known : parameter.values) texts.push_back(to_text(known));
  return suggestion(to_text(value), texts);
}

std::vector<Parameter> read_parameters(const TableReader& implementation) {
  std::vector<Parameter> parameters;
  std::vector<std::string> taken;
  for (const TomlNode& node : implementation.elements("parameter")) {
    if (parameters.size() == kMostParameters)
      implementation.fail(
          node, fmt::format("an implementation has at most {} parameters", kMostParameters));
    const TableReader table(
        implementation.file(), node, "[[implementation.parameter]]",
        {"name", "about", "values", "default", "absent", "active", "compiled_in", "follows"});
    parameters.push_back(read_parameter(table));
    take_name(table, parameters.back().name, taken);
  }
  return parameters;
}

}  // namespace tilewright
