#include <fmt/format.h>

#include "definition/manifest/manifest_parts.hpp"

namespace tilewright {
namespace {

void read_range(const TableReader& table, Fill& fill, bool whole) {
  if (whole) {
    fill.low = static_cast<double>(table.integer("low"));
    fill.high = static_cast<double>(table.integer("high"));
  } else {
    fill.low = table.number("low", fill.low);
    fill.high = table.number("high", fill.high);
  }
  const bool ordered = whole ? fill.low <= fill.high : fill.low < fill.high;
  if (!ordered)
    table.fail(table.node(), fmt::format("'low' is {} and must be {} 'high', {}", fill.low,
                                         whole ? "at most" : "below", fill.high));
}

Fill read_fill(const TableReader& table, ElementType type) {
  using Kind = Fill::Kind;
  Fill fill;
  fill.kind = table.one_of<Kind>("kind",
                                 {{"uniform", Kind::uniform},
                                  {"integers", Kind::integers},
                                  {"sorted", Kind::sorted},
                                  {"constant", Kind::constant},
                                  {"file", Kind::file}},
                                 Kind::uniform);
  const std::string reason = "this kind of fill";
  switch (fill.kind) {
    case Kind::constant:
      table.refuse({"low", "high", "path"}, reason);
      fill.low = fill.high = table.number("value");
      if (is_integer(type)) table.integer("value");
      return fill;
    case Kind::file:
      table.refuse({"low", "high", "value"}, reason);
      fill.file = path_of(table.file(), table.text("path"));
      return fill;
    case Kind::uniform:
      if (is_integer(type))
        table.fail(table.node(), fmt::format("{} cannot be filled with 'uniform' fractions; take "
                                             "integers, sorted, constant or file",
                                             to_text(type)));
      break;
    case Kind::integers:
    case Kind::sorted:
      break;
  }
  table.refuse({"value", "path"}, reason);
  read_range(table, fill, fill.kind == Kind::integers || is_integer(type));
  if (fill.low < 0 && is_unsigned(type))
    table.fail(table.node(), fmt::format("'low' is below 0, which {} cannot hold", to_text(type)));
  return fill;
}

void read_contents(const TableReader& table, Argument& argument) {
  argument.fill = default_fill(argument.type);
  const TomlNode* node = table.find("fill");
  if (node == nullptr) return;
  if (argument.role == ArgumentRole::output)
    table.fail(node->key_position, "an output is not filled; its role may be 'inout'");
  if (argument.value) table.fail(node->key_position, "'fill' does not go with 'value'");
  const TableReader fill(table.file(), *node, "'fill'", {"kind", "low", "high", "value", "path"});
  argument.fill = read_fill(fill, argument.type);
  argument.has_own_fill = true;
}

void read_shape(const TableReader& table, Argument& argument) {
  const std::string reason = "this kind of argument";
  if (argument.kind == ArgumentKind::scalar) {
    table.refuse({"count", "capacity"}, reason);
    argument.value = table.optional_expression("value");
  } else {
    table.refuse({"value"}, reason);
    argument.count = table.expression("count");
  }
  if (argument.kind == ArgumentKind::buffer) table.refuse({"capacity"}, reason);
  if (argument.kind == ArgumentKind::array) {
    argument.capacity = table.integer("capacity");
    if (argument.capacity < 1) table.fail(table.need("capacity"), "'capacity' must be at least 1");
  }
  if (argument.kind != ArgumentKind::buffer && argument.role != ArgumentRole::input)
    table.fail(table.need("role"), "an argument that is passed by value can only be an input");
}

// A type's name, or an expression for it, which check_operation() holds against the choices.
void read_type(const TableReader& table, Argument& argument) {
  const std::string written = table.text("type", to_text(argument.type));
  if (const auto type = type_named(written))
    argument.type = *type;
  else
    argument.computed_type = table.expression("type");
}

Argument read_argument(const TableReader& table) {
  Argument argument;
  argument.name = table.identifier("name");
  argument.about = table.text("about", "");
  argument.kind = table.one_of<ArgumentKind>("kind",
                                             {{"buffer", ArgumentKind::buffer},
                                              {"scalar", ArgumentKind::scalar},
                                              {"array", ArgumentKind::array}},
                                             argument.kind);
  read_type(table, argument);
  argument.role = table.one_of<ArgumentRole>("role",
                                             {{"input", ArgumentRole::input},
                                              {"output", ArgumentRole::output},
                                              {"inout", ArgumentRole::inout}},
                                             argument.role);
  if (argument.role != ArgumentRole::inout)
    table.refuse({"read_when"}, "a role that is not 'inout'");
  argument.when = table.expression("when", argument.when);
  argument.read_when = table.expression("read_when", argument.read_when);
  read_shape(table, argument);
  read_contents(table, argument);
  return argument;
}

}  // namespace

std::vector<Argument> read_arguments(const TableReader& owner, const std::string& what) {
  std::vector<Argument> arguments;
  std::vector<std::string> taken;
  for (const TomlNode& node : owner.elements("argument")) {
    const TableReader table(owner.file(), node, what,
                            {"name", "about", "kind", "type", "role", "when", "read_when", "count",
                             "capacity", "value", "fill"});
    arguments.push_back(read_argument(table));
    take_name(table, arguments.back().name, taken);
  }
  return arguments;
}

}  // namespace tilewright
