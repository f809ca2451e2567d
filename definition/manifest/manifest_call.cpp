#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "definition/manifest/expression_check.hpp"
#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

LaunchArgument read_place(const TableReader& loop, const TomlNode& node) {
  LaunchArgument place;
  if (node.kind == TomlNode::Kind::table) {
    const TableReader table(loop.file(), node, "an element of 'swap'", {"workspace"});
    place.kind = LaunchArgument::Kind::workspace;
    place.value = table.expression("workspace");
    return place;
  }
  place.name = node.kind == TomlNode::Kind::text ? node.text : std::string();
  if (!is_identifier(place.name))
    loop.fail(
        node,
        "an element of 'swap' is the name of a buffer, \"workspace\" or { workspace = \"…\" }");
  if (place.name != "workspace") return place;
  place.kind = LaunchArgument::Kind::workspace;
  place.name.clear();
  return place;
}

Loop read_loop(const TableReader& table, const std::vector<Launch>& launches) {
  Loop loop;
  loop.name = table.identifier("name");
  loop.trips = table.expression("trips");
  for (const TomlNode& node : table.elements("swap")) loop.swap.push_back(read_place(table, node));
  if (table.has("swap") && loop.swap.size() != 2)
    table.fail(table.need("swap"), "'swap' has two elements, not {}", loop.swap.size());
  if (std::ranges::find(launches, loop.name, &Launch::loop) == launches.end())
    table.fail(table.need("name"),
               "no launch is in the loop '{0}'; give one of them loop = \"{0}\"", loop.name);
  return loop;
}

// Launches of a loop that exists, one after another.
void check_launches(const TableReader& owner, const std::vector<Launch>& launches,
                    const std::vector<std::string>& loops) {
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const std::string& loop = launches[i].loop;
    if (loop.empty() || (i > 0 && launches[i - 1].loop == loop)) continue;
    const TomlNode& node = owner.elements("launch")[i];
    if (!is_among(loop, loops))
      owner.fail(node, "there is no loop '{}'{}", loop, suggestion(loop, loops));
    if (is_among(loop, seen))
      owner.fail(node, "the launches of the loop '{}' must stand together", loop);
    seen.push_back(loop);
  }
}

// Names with "::" between them. The text becomes a part of code.
bool is_qualified_name(std::string_view text) {
  constexpr std::string_view kScope = "::";
  for (;;) {
    const std::size_t end = text.find(kScope);
    if (!is_identifier(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + kScope.size());
  }
}

ConstantSymbol read_constant(const TableReader& table) {
  ConstantSymbol constant;
  constant.symbol = table.text("symbol");
  if (!is_qualified_name(constant.symbol))
    table.fail(table.need("symbol"),
               "'{}' is not the name of a variable, such as d_filter or mine::d_filter",
               constant.symbol);
  constant.from = table.identifier("from");
  if (table.has("unit")) constant.unit = table.identifier("unit");
  constant.when = table.expression("when", constant.when);
  return constant;
}

// Whether a launch of the loop has a tensor map of the place.
bool is_mapped(const std::vector<Launch>& launches, const Loop& loop, const LaunchArgument& place) {
  using Kind = LaunchArgument::Kind;
  return std::ranges::any_of(launches, [&](const Launch& launch) {
    return launch.loop == loop.name &&
           std::ranges::any_of(launch.arguments, [&](const LaunchArgument& argument) {
             return place.kind == Kind::workspace
                        ? argument.kind == Kind::workspace_map
                        : argument.kind == Kind::tensor_map && argument.name == place.name;
           });
  });
}

}  // namespace

std::vector<Loop> read_loops(const TableReader& owner, const std::string& what,
                             const std::vector<Launch>& launches) {
  std::vector<Loop> loops;
  read_named(owner, "loop", what, {"name", "trips", "swap"}, loops,
             [&](const TableReader& table) { return read_loop(table, launches); });
  check_launches(owner, launches, names_of(loops, &Loop::name));
  return loops;
}

std::vector<ConstantSymbol> read_constants(const TableReader& owner,
                                           const std::vector<std::string>& keys) {
  std::vector<ConstantSymbol> constants;
  read_each(owner, "constant", "an element of 'constant'", keys, constants,
            [&](const TableReader& table) {
              if (constants.size() == kMostConstants)
                owner.fail(table.node(), "there are more than {} constants", kMostConstants);
              ConstantSymbol constant = read_constant(table);
              for (const ConstantSymbol& other : constants)
                if (other.symbol == constant.symbol && other.unit == constant.unit)
                  table.fail(table.need("symbol"), "'{}' is filled twice", constant.symbol);
              return constant;
            });
  return constants;
}

std::vector<std::string> buffers_of(const Operation& operation,
                                    std::initializer_list<ArgumentRole> roles) {
  std::vector<std::string> names;
  for (const Argument& argument : operation.arguments)
    if (argument.kind == ArgumentKind::buffer && is_among(argument.role, roles))
      names.push_back(argument.name);
  return names;
}

void check_loops(const ExpressionCheck& checker, const std::string& prefix,
                 const std::vector<Loop>& loops, const std::vector<Launch>& launches,
                 const Operation& operation) {
  const std::vector<std::string> known =
      buffers_of(operation, {ArgumentRole::output, ArgumentRole::inout});
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::string key = fmt::format("{}loop[{}]", prefix, i);
    checker.check(key + ".trips", loops[i].trips);
    for (std::size_t j = 0; j < loops[i].swap.size(); ++j) {
      const LaunchArgument& place = loops[i].swap[j];
      const std::string what = fmt::format("{}.swap[{}]", key, j);
      if (place.kind == LaunchArgument::Kind::workspace)
        checker.check(what, place.value);
      else if (!is_among(place.name, known))
        checker.fail(what, "no output or inout buffer '{}' to change places{}", place.name,
                     suggestion(place.name, known));
      if (is_mapped(launches, loops[i], place))
        checker.fail(what, "what changes places cannot have a tensor map in the loop");
    }
  }
}

void check_constants(const ExpressionCheck& checker, const std::string& prefix,
                     const std::vector<ConstantSymbol>& constants, const Operation& operation,
                     const std::vector<Parameter>& parameters) {
  const std::vector<std::string> known = buffers_of(operation, {ArgumentRole::input});
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const ConstantSymbol& constant = constants[i];
    const std::string key = fmt::format("{}constant[{}]", prefix, i);
    if (!is_among(constant.from, known))
      checker.fail(key + ".from", "no input buffer '{}' to fill '{}' from{}", constant.from,
                   constant.symbol, suggestion(constant.from, known));
    check_fixed(checker, key + ".when", constant.when, "'when' of a constant", parameters);
  }
}

void check_entry(const ExpressionCheck& checker, const std::string& key, const std::string& entry,
                 const Operation& operation) {
  std::vector<std::string> known;
  for (const Choice& choice : operation.choices)
    if (holds_types(choice)) known.push_back(choice.name);
  for (std::size_t begin = entry.find('{'); begin != std::string::npos;
       begin = entry.find('{', begin + 1)) {
    const std::size_t end = entry.find('}', begin);
    if (end == std::string::npos) return;
    const std::string name = entry.substr(begin + 1, end - begin - 1);
    if (is_identifier(name) && !is_among(name, known))
      checker.fail(key,
                   "'{{{}}}' in the entry '{}' is no choice whose values are types (parameters are "
                   "macros and need no braces){}",
                   name, entry, suggestion(name, known));
  }
}

}  // namespace tilewright
