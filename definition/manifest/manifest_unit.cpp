#include <fmt/format.h>

#include <algorithm>

#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {

std::map<std::string, Expression> read_macros(const TableReader& unit) {
  std::map<std::string, Expression> macros;
  const TomlNode* const node = unit.find("macros");
  if (node == nullptr) return macros;
  if (node->entries.size() > kMostMacros)
    unit.fail(*node, fmt::format("'macros' has {} names; the most is {}", node->entries.size(),
                                 kMostMacros));
  const TableReader table(unit.file(), *node, "'macros'");
  for (const auto& entry : node->entries) {
    const std::string& name = entry.first;
    if (!is_identifier(name))
      table.fail(table.need(name),
                 fmt::format("'{}' is not the name of a macro; a name has letters, digits and '_' "
                             "and does not begin with a digit",
                             name));
    macros.emplace(name, table.expression(name));
  }
  return macros;
}

namespace {

SourceUnit read_unit(const TableReader& table, const Implementation& implementation) {
  SourceUnit unit;
  unit.name = table.identifier("name");
  unit.source = table.has("source") ? source_of(table, "source") : implementation.source;
  unit.macros = read_macros(table);
  unit.max_registers = table.optional_expression("max_registers");
  const bool is_launched = std::ranges::any_of(
      implementation.launches, [&](const Launch& launch) { return launch.unit == unit.name; });
  if (!is_launched)
    table.fail(
        table.need("name"),
        fmt::format("no launch is of the unit '{0}'; give one of them unit = \"{0}\"", unit.name));
  return unit;
}

// Throws unless it is empty or a unit's name.
void require_unit(const TableReader& table, const TomlNode& node, const std::string& unit,
                  const std::vector<std::string>& units) {
  if (!unit.empty() && std::ranges::find(units, unit) == units.end())
    table.fail(node, fmt::format("there is no [[implementation.unit]] '{}'{}", unit,
                                 suggestion(unit, units)));
}

// The unit of a launch exists, and no other unit has the same entry.
void check_launch(const TableReader& table, const std::vector<Launch>& launches, std::size_t index,
                  const std::vector<std::string>& units) {
  const Launch& launch = launches[index];
  const TomlNode& node = table.elements("launch")[index];
  require_unit(table, node, launch.unit, units);
  if (!launch.macros.empty()) return;  // its entry is its own
  for (std::size_t i = 0; i < index; ++i)
    if (launches[i].entry == launch.entry && launches[i].unit != launch.unit &&
        launches[i].macros.empty())
      table.fail(node, fmt::format("'{}' is launched from two units; an entry is of one unit only",
                                   launch.entry));
}

}  // namespace

std::vector<SourceUnit> read_units(const TableReader& table, const Implementation& implementation) {
  std::vector<SourceUnit> units;
  std::vector<std::string> names;
  for (const TomlNode& node : table.elements("unit")) {
    if (units.size() == kMostUnits)
      table.fail(node, fmt::format("an implementation has at most {} units", kMostUnits));
    const TableReader unit(table.file(), node, "[[implementation.unit]]",
                           {"name", "source", "macros", "max_registers"});
    units.push_back(read_unit(unit, implementation));
    take_name(unit, units.back().name, names);
  }
  for (const Launch& launch : implementation.launches) {
    if (launch.macros.empty()) continue;
    if (units.size() == kMostUnits)
      table.fail(table.node(),
                 fmt::format("an implementation has at most {} units and launches with macros",
                             kMostUnits));
    names.push_back(launch.unit);
    units.push_back({launch.unit, implementation.source, launch.macros});
  }
  for (std::size_t i = 0; i < implementation.launches.size(); ++i)
    check_launch(table, implementation.launches, i, names);
  for (std::size_t i = 0; i < implementation.constants.size(); ++i)
    require_unit(table, table.elements("constant")[i], implementation.constants[i].unit, names);
  return units;
}

}  // namespace tilewright
