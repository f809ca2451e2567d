#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

Value read_value(const TableReader& table, const std::string& key, const TomlNode& node) {
  if (node.kind == TomlNode::Kind::integer) return node.integer;
  if (node.kind != TomlNode::Kind::text)
    table.fail(node, "'{}' holds integers or labels, not {}", key, kind_name(node));
  return table.label_of(key, node);
}

// The values of a parameter, and the constraints of ranges whose ends depend on the problem.
struct ReadValues {
  std::vector<Value> values = {};
  std::set<Value> known = {};
  std::vector<Constraint> ends = {};
};

// Refuses values that do not go together.
void add_value(const TableReader& table, const TomlNode& node, Value value, ReadValues& read) {
  if (read.values.size() == kMostValues)
    table.fail(node, "'values' has more than {} values", kMostValues);
  if (!read.values.empty() && value.index() != read.values.front().index())
    table.fail(node, "'values' are all integers or all labels, not both");
  if (!read.known.insert(value).second)
    table.fail(node, "the value {} is listed twice", to_text(value));
  read.values.push_back(std::move(value));
}

// The next value of a range. Nothing if it is beyond every integer.
std::optional<std::int64_t> next_of(std::int64_t value, std::int64_t step, std::int64_t times) {
  std::int64_t next = 0;
  const bool is_beyond = times > 1 ? __builtin_mul_overflow(value, times, &next)
                                   : __builtin_add_overflow(value, step, &next);
  return is_beyond ? std::nullopt : std::optional(next);
}

// The greatest number that an expression may have whatever its names are: of min(N, 1024) that is
// 1024. Nothing if its form does not say so.
std::optional<std::int64_t> greatest(const ExpressionNode& node) {
  if (node.op == Operator::number) return node.number;
  const bool is_choice = node.op == Operator::conditional;
  const bool is_least = node.op == Operator::minimum;
  if (!is_choice && !is_least && node.op != Operator::maximum) return std::nullopt;
  std::optional<std::int64_t> result;
  for (std::size_t i = is_choice ? 1 : 0; i < node.children.size(); ++i) {
    const std::optional<std::int64_t> one = greatest(node.children[i]);
    if (!one && !is_least) return std::nullopt;
    if (one) result = !result ? *one : is_least ? std::min(*result, *one) : std::max(*result, *one);
  }
  return result;
}

// The end of a range. If it depends on the problem: its greatest value, with a constraint.
std::int64_t read_end(const TableReader& table, const std::string& parameter, ReadValues& read) {
  const TomlNode& node = table.need("to");
  if (node.kind != TomlNode::Kind::text) return table.integer("to");
  const Expression end = table.expression("to");
  const std::optional<std::int64_t> most = greatest(end.root());
  if (!most)
    table.fail(node, "'to' needs a number that it never exceeds: \"min({}, 1024)\"", node.text);
  const std::string require = fmt::format("({}) >= {} || {} < {} || {} > {}", end.text(), parameter,
                                          parameter, table.integer("from"), parameter, *most);
  read.ends.push_back({table.made_expression(node, require),
                       fmt::format("{} is at most {}", parameter, node.text)});
  return *most;
}

// { from = 2, to = 20, step = 2 } or { from = 32, to = 1024, times = 2 }
void add_range(const TableReader& owner, const TomlNode& node, const std::string& parameter,
               ReadValues& read) {
  const TableReader table(owner.file(), node, "a range of 'values'",
                          {"from", "to", "step", "times"});
  const std::int64_t from = table.integer("from");
  const std::int64_t to = read_end(table, parameter, read);
  if (table.has("times")) table.refuse({"step"}, "'times'");
  const std::int64_t step = table.integer("step", 1);
  const std::int64_t times = table.has("times") ? table.integer("times") : 1;
  if (from > to) table.fail(node, "the range is empty: 'from' {} is above 'to' {}", from, to);
  if (step < 1) table.fail(table.need("step"), "'step' is {}; it must be at least 1", step);
  if (table.has("times") && times < 2)
    table.fail(table.need("times"), "'times' is {}; it must be at least 2", times);
  if (times > 1 && from < 1)
    table.fail(table.need("from"), "'from' is {}; with 'times' it must be at least 1", from);
  for (std::optional<std::int64_t> value = from; value && *value <= to;
       value = next_of(*value, step, times))
    add_value(table, node, *value, read);
}

ReadValues read_values(const TableReader& table, const std::string& parameter) {
  const TomlNode& node = table.need("values");
  ReadValues read;
  for (const TomlNode& element : table.elements("values"))
    if (element.kind == TomlNode::Kind::table)
      add_range(table, element, parameter, read);
    else
      add_value(table, element, read_value(table, "values", element), read);
  if (read.values.empty()) table.fail(node, "'values' must not be empty");
  return read;
}

Parameter read_parameter(const TableReader& table, std::vector<Constraint>& ends) {
  Parameter parameter;
  read_name(table, parameter);
  ReadValues read = read_values(table, parameter.name);
  parameter.values = std::move(read.values);
  std::ranges::move(read.ends, std::back_inserter(ends));
  const auto listed = [&](const char* key, const char* sentence) {
    const TomlNode& node = table.need(key);
    Value value = read_value(table, key, node);
    if (!is_among(value, parameter.values))
      table.fail(node, fmt::format(fmt::runtime(sentence), to_text(value)) +
                           suggestion_of_value(parameter, value));
    return value;
  };
  parameter.default_value = listed("default", "the default {} is not in 'values'");
  if (table.has("absent"))
    parameter.absent = listed("absent", "'absent' is {}, which is not in 'values'");
  table.read_fields(parameter);
  return parameter;
}

}  // namespace

std::string suggestion_of_value(const Parameter& parameter, const Value& value) {
  return suggestion(to_text(value),
                    names_of(parameter.values, [](const Value& known) { return to_text(known); }));
}

std::vector<Parameter> read_parameters(const TableReader& implementation,
                                       std::vector<Constraint>& ends) {
  std::vector<Parameter> parameters;
  read_named(implementation, "parameter", "[[implementation.parameter]]",
             {"name", "about", "values", "default", "absent", "active", "compiled_in", "follows"},
             parameters, [&](const TableReader& table) {
               if (parameters.size() == kMostParameters)
                 table.fail(table.node(), "an implementation has at most {} parameters",
                            kMostParameters);
               return read_parameter(table, ends);
             });
  return parameters;
}

}  // namespace tilewright
