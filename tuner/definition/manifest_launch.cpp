// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "tuner/definition/manifest_parts.hpp"

namespace tilewright {
namespace {

LaunchArgument computed(const TableReader& table) {
  LaunchArgument argument;
  if (int{table.has("value")} + int{table.has("workspace")} + int{table.has("by_value")} != 1)
    table.fail(table.node(), "a launch argument needs one of 'value', 'workspace' and 'by_value'");
  if (table.has("by_value")) {
    table.refuse({"type"}, "'by_value'");
    argument.kind = LaunchArgument::Kind::by_value;
    argument.name = table.identifier("by_value");
    argument.value = table.expression("capacity");
    return argument;
  }
  table.refuse({"capacity"}, "anything but 'by_value'");
  if (table.has("workspace")) {
    table.refuse({"type"}, "'workspace'");
    argument.kind = LaunchArgument::Kind::workspace;
    argument.value = table.expression("workspace");
    return argument;
  }
  argument.kind = LaunchArgument::Kind::value;
  argument.value = table.expression("value");
  argument.type = table.one_of("type", element_types(), argument.type);
  return argument;
}

// The index of a labelled parameter's value, as an expression over its labels.
Expression index_expression(const Parameter& parameter) {
  std::string text;
  for (std::size_t i = 0; i + 1 < parameter.values.size(); ++i)
    text += fmt::format("{} == '{}' ? {} : ", parameter.name, to_text(parameter.values[i]), i);
  return Expression::parse(text + std::to_string(parameter.values.size() - 1));
}

const Parameter* named_alone(const Expression& expression,
                             const std::vector<Parameter>& parameters) {
  if (expression.root().op != Operator::name) return nullptr;
  for (const Parameter& parameter : parameters)
    if (parameter.name == expression.root().text) return &parameter;
  return nullptr;
}

LaunchArgument read_launch_argument(const TableReader& launch, const TomlNode& node,
                                    const std::vector<Parameter>& parameters) {
  LaunchArgument argument;
  if (node.kind == TomlNode::Kind::table) {
    argument = computed(TableReader(launch.file(), node, "a launch argument",
                                    {"value", "type", "workspace", "by_value", "capacity"}));
  } else {
    const std::string name = node.kind == TomlNode::Kind::text ? node.text : std::string();
    if (!is_identifier(name))
      launch.fail(node,
                  "a launch argument is a name, { value = \"…\", type = \"…\" }, "
                  "{ workspace = \"…\" } or { by_value = \"…\", capacity = \"…\" }");
    argument.name = name;
    if (name == "workspace") {
      argument.kind = LaunchArgument::Kind::workspace;
    } else if (named_alone(Expression::parse(name), parameters) != nullptr) {
      argument.kind = LaunchArgument::Kind::value;
      argument.value = Expression::parse(name);
    }
  }
  if (argument.kind != LaunchArgument::Kind::value) return argument;
  const Parameter* parameter = named_alone(argument.value, parameters);
  const bool labelled =
      parameter != nullptr && std::holds_alternative<std::string>(parameter->values.front());
  if (labelled) argument.value = index_expression(*parameter);
  return argument;
}

std::array<Expression, 3> read_extent(const TableReader& table, const std::string& key) {
  std::array<Expression, 3> extent = {Expression{1}, Expression{1}, Expression{1}};
  const std::vector<TomlNode>& elements = table.elements(key);
  if (table.has(key) && (elements.empty() || elements.size() > extent.size()))
    table.fail(table.need(key),
               fmt::format("'{}' has 1 to 3 numbers, not {}", key, elements.size()));
  for (std::size_t i = 0; i < elements.size(); ++i)
    extent.at(i) = table.expression_of(key, elements[i]);
  return extent;
}

Launch read_launch(const TableReader& table, const std::vector<Parameter>& parameters) {
  Launch launch;
  launch.entry = table.text("entry");
  launch.when = table.expression("when", launch.when);
  table.need("grid");
  table.need("block");
  table.need("arguments");
  launch.grid = read_extent(table, "grid");
  launch.block = read_extent(table, "block");
  launch.cluster = read_extent(table, "cluster");
  launch.shared_bytes = table.expression("shared_bytes", launch.shared_bytes);
  for (const TomlNode& node : table.elements("arguments"))
    launch.arguments.push_back(read_launch_argument(table, node, parameters));
  return launch;
}

}  // namespace

std::vector<Launch> read_launches(const TableReader& owner, const std::string& what,
                                  const std::vector<Parameter>& parameters) {
  std::vector<Launch> launches;
  for (const TomlNode& node : owner.elements("launch"))
    launches.push_back(read_launch(
        TableReader(owner.file(), node, what,
                    {"entry", "when", "grid", "block", "cluster", "shared_bytes", "arguments"}),
        parameters));
  if (launches.empty())
    owner.fail(owner.node(),
               fmt::format("{} has no launch; it needs at least one {}", owner.what(), what));
  return launches;
}

}  // namespace tilewright
