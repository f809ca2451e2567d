#include "tools/print/launch_text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "definition/problem.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/scanner.hpp"
#include "tilewright/error.hpp"
#include "tools/print/text.hpp"
#include "tuner/plan/compile_request.hpp"

namespace tilewright::tools {
namespace {

using Extent = std::array<std::int64_t, 3>;

// "16x32"
std::string extent_text(const Extent& extent) {
  if (extent[2] > 1) return fmt::format("{}x{}x{}", extent[0], extent[1], extent[2]);
  if (extent[1] > 1) return fmt::format("{}x{}", extent[0], extent[1]);
  return std::to_string(extent[0]);
}

std::string braced(const Extent& extent) {
  return fmt::format("{{{}, {}, {}}}", extent[0], extent[1], extent[2]);
}

// What must be filled before the launches.
std::string constants_text(const LaunchPlan& plan, const Operation& operation) {
  std::string text;
  for (const PlannedConstant& constant : plan.constants)
    text += cpp_comment(fmt::format(
                "Before them the variable {} is filled with the {} bytes of {}.",
                constant_name(constant.key), constant.bytes,
                operation.arguments.at(static_cast<std::size_t>(constant.index)).name)) +
            '\n';
  return text;
}

// What their handles must read.
std::string textures_text(const LaunchPlan& plan, const Operation& operation) {
  std::string text;
  for (std::size_t i = 0; i < plan.textures.size(); ++i) {
    const PlannedTexture& texture = plan.textures[i];
    const TextureModes& modes = texture.modes;
    std::vector<const char*> addresses;
    for (std::size_t j = 0; j < texture.dims.size(); ++j)
      addresses.push_back(label_of(kTextureAddresses, modes.address.at(j)));
    text += cpp_comment(fmt::format(
                "Texture {}: {}, {} elements, memory {}, address {}, filter {}, read {}, "
                "coordinates {}.",
                i, operation.arguments.at(static_cast<std::size_t>(texture.index)).name,
                fmt::join(texture.dims, " x "), label_of(kTextureMemories, modes.memory),
                fmt::join(addresses, " "), label_of(kTextureFilters, modes.filter),
                label_of(kTextureReads, modes.read),
                label_of(kTextureCoordinates, modes.coordinates))) +
            '\n';
  }
  return text;
}

std::string constant(const Parameter& parameter, const Value& value) {
  if (const auto* const number = std::get_if<std::int64_t>(&value)) {
    const bool is_long = *number > std::numeric_limits<std::int32_t>::max() ||
                         *number < std::numeric_limits<std::int32_t>::min();
    return fmt::format("inline constexpr {} {} = {};\n", is_long ? "long long" : "int",
                       parameter.name, *number);
  }
  const auto label = std::ranges::find(parameter.values, value);
  return fmt::format("inline constexpr int {} = {};  {}\n", parameter.name,
                     label - parameter.values.begin(), cpp_comment(to_text(value)));
}

// "16x32", or the expression where the grid depends on what the device holds.
std::string grid_text(const PlannedLaunch& launch) {
  if (!launch.has_open_grid()) return extent_text(launch.grid);
  std::string text;
  for (std::size_t i = 0; i < launch.grid.size(); ++i) {
    const std::string& open = launch.grid_texts.at(i);
    text += (i == 0 ? "" : "x") + (open.empty() ? std::to_string(launch.grid.at(i)) : open);
  }
  return text;
}

// ", cooperative". Programs that launch a kernel themselves need not know that it may begin early.
std::string attributes_text(const PlannedLaunch& launch) {
  std::string text;
  for_each_attribute(launch, [&text](std::string_view name, auto value) {
    if (value == 0 || name == "dependent_launch") return;
    text += fmt::format(", {}", name);
    if constexpr (!std::same_as<decltype(value), bool>) text += fmt::format(" {}", value);
  });
  return text;
}

// ", 100 trips"; empty outside loops.
std::string trips_text(const LaunchPlan& plan, std::size_t launch) {
  for (const PlannedLoop& loop : plan.loops)
    if (launch >= static_cast<std::size_t>(loop.first) &&
        launch - static_cast<std::size_t>(loop.first) < static_cast<std::size_t>(loop.count))
      return fmt::format(", {} trips", loop.trips);
  return "";
}

// The launched kernel's unit. Throws InputError if there is none.
const UnitMacros& unit_of(const PlannedLaunch& launch, const std::vector<UnitMacros>& units,
                          std::string& kernel) {
  for (const UnitMacros& unit : units)
    for (const std::string& entry : unit.entries)
      if (entry_key(entry, unit.unit) == launch.entry) {
        kernel = entry;
        return unit;
      }
  throw bad_input("nothing is compiled for the launch of '{}'", launch.entry);
}

// "sum<128, 4>" for "sum<BLOCK, ITEMS>": what the compiler makes of it with these macros.
std::string without_names(const std::string& entry, const std::vector<std::string>& macros) {
  std::map<std::string, std::string> values;
  for (const std::string& macro : macros) {
    const std::size_t equals = macro.find('=');
    values[macro.substr(2, equals - 2)] = macro.substr(equals + 1);
  }
  std::string text;
  for (std::size_t at = 0; at < entry.size();) {
    std::size_t end = at;
    while (end < entry.size() && is_of_name(entry[end])) ++end;
    const std::string word = entry.substr(at, std::max<std::size_t>(end - at, 1));
    const auto value = values.find(word);
    text += value == values.end() ? word : value->second;
    at += word.size();
  }
  return text;
}

// What the constants do not say about a launch.
std::string launch_comment(const LaunchPlan& plan, std::size_t launch, const UnitMacros& unit) {
  const PlannedLaunch& one = plan.launches[launch];
  std::string text;
  if (!unit.macros.empty()) text += fmt::format(", compiled with {}", fmt::join(unit.macros, " "));
  text += attributes_text(one);
  if (one.has_open_grid()) text += ", grid " + grid_text(one);
  text += trips_text(plan, launch);
  return text.empty() ? "" : "  " + cpp_comment(text.substr(2));
}

// The elements of `launches`.
std::string launches_text(const Tile& tile, const LaunchPlan& plan) {
  const Scope scope = full_scope(tile.problem, tile.configuration, tile.device);
  const std::vector<std::string> macros =
      macro_options(*tile.implementation, *tile.operation, tile.problem, tile.configuration, scope);
  const std::vector<UnitMacros> units =
      unit_macros(*tile.implementation, *tile.operation, tile.problem, scope);
  std::string text;
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const PlannedLaunch& launch = plan.launches[i];
    std::string kernel;
    const UnitMacros& unit = unit_of(launch, units, kernel);
    std::vector<std::string> all = macros;
    all.insert(all.end(), unit.macros.begin(), unit.macros.end());
    text += fmt::format("    {{{}, {}, {}, {}, {}}},{}\n", cpp_literal(without_names(kernel, all)),
                        braced(launch.grid), braced(launch.block), braced(launch.cluster),
                        launch.shared_bytes, launch_comment(plan, i, unit));
  }
  return text;
}

}  // namespace

LaunchPlan launches_of(const Tile& tile) {
  const Scope scope = full_scope(tile.problem, tile.configuration, tile.device);
  return plan_launches(*tile.operation, *tile.implementation, scope);
}

std::vector<std::string> launch_texts(const LaunchPlan& plan) {
  std::vector<std::string> texts;
  if (plan.routine.is_given()) texts.push_back("by the foreign library " + plan.routine.name);
  for (const PlannedLaunch& launch : plan.launches) {
    std::string text = fmt::format("{} grid {}, block {}", launch.entry, grid_text(launch),
                                   extent_text(launch.block));
    if (launch.cluster != Extent{1, 1, 1}) text += ", cluster " + extent_text(launch.cluster);
    if (launch.shared_bytes > 0)
      text += fmt::format(", shared {} dynamic", bytes_text(launch.shared_bytes));
    text += attributes_text(launch);
    text += trips_text(plan, texts.size());
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string tile_header(const Tile& tile, const std::string& about) {
  std::string text = cpp_comment(about) + "\n#pragma once\n\n";
  std::string name = tile.operation->name + '_' + tile.implementation->name;
  std::ranges::replace_if(name, std::not_fn(is_of_name), '_');
  text += fmt::format("namespace tilewright::{} {{\n\n", name);
  text += "// A parameter with labels has the label's index, as the kernel's macro has.\n";
  for (const Parameter& parameter : tile.implementation->parameters)
    if (const Value* const value = find_value(tile.configuration, parameter))
      text += constant(parameter, *value);
  if (tile.implementation->is_evaluator()) return text + "\n}\n";
  const LaunchPlan plan = launches_of(tile);
  text +=
      "\nstruct Launch {\n"
      "  const char* entry;\n"
      "  unsigned grid[3];\n"
      "  unsigned block[3];\n"
      "  unsigned cluster[3];\n"
      "  unsigned shared_bytes;  // dynamic\n"
      "};\n" +
      constants_text(plan, *tile.operation) + textures_text(plan, *tile.operation) +
      "// Of this problem, one after another.\n"
      "inline constexpr Launch launches[] = {\n";
  text += launches_text(tile, plan);
  text += fmt::format("}};\ninline constexpr unsigned long long workspace_bytes = {};\n",
                      plan.workspace_bytes);
  if (plan.prepared_bytes > 0)
    text += fmt::format("inline constexpr unsigned long long prepared_bytes = {};\n",
                        plan.prepared_bytes);
  return text + "\n}\n";
}

}  // namespace tilewright::tools
