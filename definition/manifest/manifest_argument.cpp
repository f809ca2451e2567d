#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

// What goes with each kind of fill, by Fill::Kind.
const auto& kFillKeys = *new const std::array<std::vector<std::string>, Fill::kKinds.size()>{{
    {"low", "high", "divisor", "correlation", "border", "rows", "columns"},
    {"low", "high", "border", "rows", "columns"},
    {"low", "high", "divisor"},
    {"value", "border", "rows", "columns"},
    {"path"},
    {"mean", "deviation", "divisor", "correlation", "border", "rows", "columns"},
    {"low", "high"},
    {"low"},
}};
const auto& kAllFillKeys = *new const std::vector<std::string>{
    "kind",      "low",     "high",        "value",  "path", "mean",
    "deviation", "divisor", "correlation", "border", "rows", "columns"};

void check_fill_keys(const TableReader& table, const std::vector<std::string>& keys,
                     bool is_drawn_whole) {
  for (const std::string& key : kAllFillKeys) {
    const bool goes = key == "kind" || is_among(key, keys);
    if (!goes || (key == "divisor" && is_drawn_whole)) table.refuse({key}, "this kind of fill");
  }
  if (table.has("border")) {
    table.need("rows");
    table.need("columns");
    return;
  }
  table.refuse({"rows"}, "a fill without 'border'");
  if (!table.has("correlation"))
    table.refuse({"columns"}, "a fill without 'border' and 'correlation'");
}

// Of a constant fill: masks are -inf.
double number_or_infinity(const TableReader& table, const std::string& key) {
  const TomlNode& node = table.need(key);
  const bool is_infinite = node.kind == TomlNode::Kind::real && std::isinf(node.real);
  return is_infinite ? node.real : table.number(key);
}

// Each number of a fill may also be an expression. The ends of a range of integers are required.
void read_fill(const TableReader& table, Argument& argument) {
  using Kind = Fill::Kind;
  Fill& fill = argument.fill = {};
  fill.kind = table.one_of("kind", Fill::kKinds, fill.kind);
  const std::vector<std::string>& keys = kFillKeys.at(static_cast<std::size_t>(fill.kind));
  const bool has_integers = is_integer(argument.type);
  const bool is_drawn_whole = fill.kind == Kind::integers || has_integers;
  check_fill_keys(table, keys, is_drawn_whole);
  if (fill.kind == Kind::file) fill.file = path_of(table.file(), table.text("path"));
  if (fill.kind == Kind::constant) {
    fill.low = fill.high = number_or_infinity(table, "value");
    if (has_integers) table.integer("value");
  }
  const bool is_order = fill.kind == Kind::offsets || fill.kind == Kind::permutation;
  if (is_order) fill.low = 0;
  if (fill.kind == Kind::offsets) table.need("high");
  for (const FillNumber& one : kFillNumbers) {
    const std::string key = one.key;
    const bool is_end = key == "low" || key == "high";
    if (!is_among(key, keys)) continue;
    if (is_end && fill.kind == Kind::uniform && has_integers) continue;  // fill_error() says why
    const TomlNode* const node = table.find(key);
    if (node != nullptr && node->kind == TomlNode::Kind::text)
      argument.computed_fill.*one.computed = table.expression(key);
    else if (is_end && is_drawn_whole && !is_order)
      fill.*one.number = static_cast<double>(table.integer(key));
    else
      fill.*one.number = table.number(key, fill.*one.number);
  }
}

// [low, high], for where a computed type is an integer type.
void read_integers(const TableReader& table, Argument& argument) {
  const TomlNode* const node = table.find("integers");
  if (node == nullptr) return;
  if (!argument.computed_type)
    table.refuse({"integers"}, "a 'type' that is no expression; 'fill' says it");
  if (argument.role == ArgumentRole::output || argument.value)
    table.refuse({"integers"}, "an argument that is not filled");
  const std::vector<TomlNode>& ends = table.elements("integers");
  if (ends.size() != 2 || ends[0].kind != TomlNode::Kind::integer ||
      ends[1].kind != TomlNode::Kind::integer || ends[0].integer > ends[1].integer)
    table.fail(*node, "'integers' must be [low, high], two integers in ascending order");
  argument.integer_fill = Fill{Fill::Kind::integers,
                               static_cast<double>(ends[0].integer),
                               static_cast<double>(ends[1].integer),
                               {}};
}

// Whether its numbers and its type are known without a problem.
bool is_plain(const Argument& argument) {
  return !argument.computed_type && std::ranges::none_of(kFillNumbers, [&](const FillNumber& one) {
    return (argument.computed_fill.*one.computed).has_value();
  });
}

void read_contents(const TableReader& table, Argument& argument) {
  argument.fill = default_fill(argument.type);
  const TomlNode* node = table.find("fill");
  if (node == nullptr) return;
  if (argument.role == ArgumentRole::output)
    table.fail(node->key_position, "an output is not filled; its role may be 'inout'");
  if (argument.value) table.fail(node->key_position, "'fill' does not go with 'value'");
  if (is_filled_by_kernel(table.node())) return;  // read_kernel_fills() reads it
  const TableReader fill(table.file(), *node, "'fill'", kAllFillKeys);
  read_fill(fill, argument);
  argument.has_own_fill = true;
  if (const auto error = fill_error(argument.fill, argument.type); error && is_plain(argument))
    fill.fail(fill.node(), *error);
}

void read_shape(const TableReader& table, Argument& argument) {
  const std::string reason = "this kind of argument";
  if (argument.kind == ArgumentKind::scalar) {
    table.refuse({"count", "capacity"}, reason);
    if (table.has("value")) {
      const auto type = argument.computed_type ? std::nullopt : std::optional(argument.type);
      const WrittenNumber number = read_number(table, "value", type);
      argument.value = number.value;
      argument.real = number.real;
    } else {
      table.refuse({"divisor"}, "a scalar without 'value'");
    }
  } else {
    table.refuse({"value", "divisor"}, reason);
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

// The 2 of "float32x2" with float32; nothing for what is no vector of numbers.
struct VectorType {
  ElementType type = ElementType::float32;
  std::int64_t lanes = 1;
};
std::optional<VectorType> vector_type_named(const std::string& written) {
  for (const std::int64_t lanes : {2, 4}) {
    const std::string ending = fmt::format("x{}", lanes);
    if (!written.ends_with(ending)) continue;
    const auto type = type_named(written.substr(0, written.size() - ending.size()));
    if (type && facts_of(*type).kind != ElementKind::complex) return VectorType{*type, lanes};
  }
  return std::nullopt;
}

// A type's name, or an expression for it, which check_operation() holds against the choices.
void read_type(const TableReader& table, Argument& argument) {
  const std::string written = table.text("type", to_text(argument.type));
  if (const auto type = type_named(written)) {
    argument.type = *type;
  } else if (const auto vector = vector_type_named(written)) {
    argument.type = vector->type;
    argument.lanes = vector->lanes;
    if (argument.kind != ArgumentKind::buffer)
      table.fail(table.need("type"), "only buffers have elements of several numbers, such as {}",
                 written);
  } else {
    argument.computed_type = table.expression("type");
  }
}

Argument read_argument(const TableReader& table) {
  Argument argument;
  read_name(table, argument);
  argument.kind = table.one_of("kind", kArgumentKinds, argument.kind);
  read_type(table, argument);
  argument.role = table.one_of("role", kArgumentRoles, argument.role);
  if (argument.role != ArgumentRole::inout)
    table.refuse({"read_when"}, "a role that is not 'inout'");
  argument.when = table.expression("when", argument.when);
  argument.read_when = table.expression("read_when", argument.read_when);
  read_shape(table, argument);
  read_contents(table, argument);
  read_integers(table, argument);
  return argument;
}

// One thread for each element, unless the manifest says otherwise.
constexpr int kBlock = 256;

Launch usual_launch(const TableReader& fill, const Argument& argument) {
  Launch launch;
  launch.grid[0] = fill.made_expression(
      fill.node(), fmt::format("max(1, ceil_div({}, {}))", argument.count.text(), kBlock));
  launch.block[0] = Expression{kBlock};
  return launch;
}

// The kernel gets its own argument, and inputs that are there before it runs: those that no kernel
// fills, and those of earlier fills.
void check_arguments(const TableReader& fill, const Launch& launch, const Argument& filled,
                     const Operation& operation, const std::vector<std::string>& later) {
  bool has_own = false;
  for (const LaunchArgument& launched : launch.arguments) {
    if (uses_workspace(launched)) fill.fail(fill.node(), "a kernel that fills has no workspace");
    const Argument* const argument = find_named(operation.arguments, launched.name);
    if (argument == nullptr) continue;
    const bool is_own = argument->name == filled.name;
    has_own |= is_own && launched.kind == LaunchArgument::Kind::argument;
    if (is_own) continue;
    if (argument->role == ArgumentRole::output)
      fill.fail(fill.need("arguments"), "'{}' is an output, which has no contents yet",
                argument->name);
    if (is_among(argument->name, later))
      fill.fail(fill.need("arguments"), "'{}' is filled by a kernel after '{}'", argument->name,
                filled.name);
  }
  if (!has_own)
    fill.fail(fill.need("arguments"), "'arguments' lacks '{}', which the kernel fills",
              filled.name);
}

Reference read_kernel_fill(const TableReader& fill, const Argument& argument,
                           const Operation& operation) {
  Reference made;
  const bool has_source = fill.has("source");
  if (!has_source && operation.reference.source.empty())
    fill.fail(fill.node(),
              "a fill by a kernel needs 'source', because there is no reference kernel");
  made.source = has_source ? source_of(fill, "source") : operation.reference.source;
  made.include_directories = fill.has("include") ? read_include_directories(fill)
                                                 : operation.reference.include_directories;
  read_compiler_options(fill, DeviceCompiler::nvrtc,
                        {made.options, made.include_directories, made.dropped_options});
  if (!fill.has("options")) made.options = operation.reference.options;
  made.launches = {read_fill_launch(fill, usual_launch(fill, argument))};
  return made;
}

// Nothing if the text is an expression of whole numbers, or none at all.
std::optional<Expression> real_expression(const TomlNode& node) {
  if (node.kind != TomlNode::Kind::text) return std::nullopt;
  try {
    Expression::parse(node.text);
    return std::nullopt;
  } catch (const ExpressionError&) {  // so it may have real numbers
  }
  try {
    return Expression::parse_real(node.text);
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

}  // namespace

WrittenNumber read_number(const TableReader& table, const std::string& key,
                          std::optional<ElementType> type) {
  WrittenNumber number;
  if (table.need(key).kind == TomlNode::Kind::real)
    number.real.number = table.number(key);
  else if (number.real.computed = real_expression(table.need(key)); !number.real.computed)
    number.value = table.expression(key);
  number.real.divisor = table.optional_expression("divisor");
  if (type && is_integer(*type) && number.real.is_used())
    table.fail(table.need(number.real.divisor ? "divisor" : key),
               "a value of type {} is a whole number, without 'divisor' and sqrt()",
               to_text(*type));
  return number;
}

std::vector<Argument> read_arguments(const TableReader& owner, const std::string& what) {
  std::vector<Argument> arguments;
  read_named(owner, "argument", what,
             {"name", "about", "kind", "type", "role", "when", "read_when", "count", "capacity",
              "value", "divisor", "fill", "integers"},
             arguments, read_argument);
  return arguments;
}

bool is_filled_by_kernel(const TomlNode& argument) {
  const TomlNode* const kind = find_node(argument, "fill.kind");
  return kind != nullptr && kind->text == "kernel";
}

std::map<std::string, Reference> read_kernel_fills(const TableReader& table,
                                                   const Operation& operation) {
  const std::vector<TomlNode>& nodes = table.elements("argument");
  std::vector<std::string> later;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (is_filled_by_kernel(nodes[i])) later.push_back(operation.arguments[i].name);
  std::map<std::string, Reference> fills;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Argument& argument = operation.arguments[i];
    if (!is_among(argument.name, later)) continue;
    const TableReader fill(table.file(), nodes[i].entries.at("fill"), "'fill'",
                           {"kind", "entry", "source", "include", "options", "grid", "block",
                            "shared_bytes", "arguments"});
    if (argument.kind != ArgumentKind::buffer)
      fill.fail(fill.node(), "a kernel fills buffers only");
    std::erase(later, argument.name);
    Reference made = read_kernel_fill(fill, argument, operation);
    check_arguments(fill, made.launches.front(), argument, operation, later);
    fills.emplace(argument.name, std::move(made));
  }
  return fills;
}

}  // namespace tilewright
