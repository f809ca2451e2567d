#include <fmt/format.h>

#include <algorithm>

#include "definition/manifest/expression_check.hpp"
#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"
#include "definition/toml/table_reader.hpp"

namespace tilewright {
namespace {

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

void check_loops(const ExpressionCheck& checker, const std::string& prefix,
                 const std::vector<Loop>& loops, const std::vector<Launch>& launches,
                 const Operation& operation) {
  std::vector<std::string> known;
  for (const Argument& argument : operation.arguments)
    if (argument.kind == ArgumentKind::buffer && argument.role != ArgumentRole::input)
      known.push_back(argument.name);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::string key = fmt::format("{}loop[{}]", prefix, i);
    checker.check(key + ".trips", loops[i].trips);
    for (std::size_t j = 0; j < loops[i].swap.size(); ++j) {
      const LaunchArgument& place = loops[i].swap[j];
      const std::string what = fmt::format("{}.swap[{}]", key, j);
      if (place.kind == LaunchArgument::Kind::workspace)
        checker.check(what, place.value);
      else if (std::ranges::find(known, place.name) == known.end())
        checker.fail(what, fmt::format("no output or inout buffer '{}' to change places{}",
                                       place.name, suggestion(place.name, known)));
      if (is_mapped(launches, loops[i], place))
        checker.fail(what, "what changes places cannot have a tensor map in the loop");
    }
  }
}

void check_constants(const ExpressionCheck& checker, const std::string& prefix,
                     const std::vector<ConstantSymbol>& constants, const Operation& operation,
                     const std::vector<Parameter>& parameters) {
  std::vector<std::string> known;
  for (const Argument& argument : operation.arguments)
    if (argument.kind == ArgumentKind::buffer && argument.role == ArgumentRole::input)
      known.push_back(argument.name);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const ConstantSymbol& constant = constants[i];
    const std::string key = fmt::format("{}constant[{}]", prefix, i);
    if (std::ranges::find(known, constant.from) == known.end())
      checker.fail(key + ".from",
                   fmt::format("no input buffer '{}' to fill '{}' from{}", constant.from,
                               constant.symbol, suggestion(constant.from, known)));
    checker.check(key + ".when", constant.when);
    for (const std::string& name : constant.when.names())
      if (std::ranges::find(parameters, name, &Parameter::name) == parameters.end())
        checker.fail(key + ".when", fmt::format("'when' of a constant may use only parameters, "
                                                "which '{}' is not",
                                                name));
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
    if (is_identifier(name) && std::ranges::find(known, name) == known.end())
      checker.fail(key, fmt::format("'{{{}}}' in the entry '{}' is no choice whose values are "
                                    "types (parameters are macros and need no braces){}",
                                    name, entry, suggestion(name, known)));
  }
}

}  // namespace tilewright
