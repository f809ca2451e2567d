#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "definition/manifest/expression_check.hpp"
#include "definition/manifest/manifest.hpp"
#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
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
    table.fail(table.need("name"),
               "no launch is of the unit '{0}'; give one of them unit = \"{0}\"", unit.name);
  return unit;
}

// Throws unless it is empty or a unit's name.
void require_unit(const TableReader& table, const TomlNode& node, const std::string& unit,
                  const std::vector<std::string>& units) {
  if (!unit.empty() && !is_among(unit, units))
    table.fail(node, "there is no [[implementation.unit]] '{}'{}", unit, suggestion(unit, units));
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
      table.fail(node, "'{}' is launched from two units; an entry is of one unit only",
                 launch.entry);
}

// The place of a unit's macro, which may have been made of the macros of a launch.
std::string macro_key(const std::vector<SourceUnit>& units, std::size_t number,
                      const std::string& macro) {
  constexpr std::string_view kLaunch = "launch ";
  const std::string& name = units[number].name;
  const std::string owner =
      name.starts_with(kLaunch)
          ? fmt::format("launch[{}]", std::stoul(name.substr(kLaunch.size())) - 1)
          : fmt::format("unit[{}]", number);
  return fmt::format("{}.macros.{}", owner, macro);
}

// No two macros have one name.
void check_names(const ExpressionCheck& checker, const Implementation& implementation,
                 const Operation& operation) {
  std::set<std::string> taken;
  const auto take = [&](const std::string& key, const std::string& macro) {
    if (!taken.insert(macro).second)
      checker.fail(key, "the macro {} would be defined twice", macro);
  };
  for (const Choice& choice : operation.choices) {
    if (&choice == preparation_of(operation)) continue;  // no macro
    for (const std::string& label : choice.labels) take("name", label_macro(choice.name, label));
    if (holds_types(choice)) take("name", type_macro(choice.name));
  }
  for (const CompiledIn& item : implementation.compiled_in) take("compiled_in", macro_of(item));
  for (std::size_t i = 0; i < implementation.parameters.size(); ++i) {
    const Parameter& parameter = implementation.parameters[i];
    const std::string key = fmt::format("parameter[{}].name", i);
    take(key, parameter.name);
    for (const std::string& label : labels_of(parameter))
      take(key, label_macro(parameter.name, label));
  }
  // Units do not see each other's macros.
  for (std::size_t i = 0; i < implementation.units.size(); ++i)
    for (const auto& [name, value] : implementation.units[i].macros)
      if (taken.contains(name))
        checker.fail(macro_key(implementation.units, i, name),
                     "the macro {} would be defined twice", name);
}

// Refuses what is no dimension or choice. `key` is the name's place.
void check_problem_name(const ExpressionCheck& checker, const std::string& key,
                        const std::string& name, const Operation& operation) {
  const Vocabulary problem = problem_vocabulary(operation);
  const bool is_hook = find_named(operation.hooks, name) != nullptr;
  if (is_hook || !problem.contains(name))
    checker.fail(key, "no dimension or choice '{}'{}", name,
                 suggestion(name, names_of(problem, &Vocabulary::value_type::first)));
}

void check_compiled_in(const ExpressionCheck& checker, const Implementation& implementation,
                       const Operation& operation) {
  for (std::size_t i = 0; i < implementation.compiled_in.size(); ++i) {
    const CompiledIn& item = implementation.compiled_in[i];
    const std::string key = fmt::format("compiled_in[{}]", i);
    if (!item.term) check_problem_name(checker, key, item.name, operation);
    if (const Choice* const choice = preparation_of(operation);
        choice != nullptr && item.name == choice->name)
      checker.fail(key, "'{}' says who prepares that input; the code is the same", item.name);
    checker.check(key + ".when", item.when);
  }
}

}  // namespace

std::map<std::string, Expression> read_macros(const TableReader& unit) {
  std::map<std::string, Expression> macros;
  const TomlNode* const node = unit.find("macros");
  if (node == nullptr) return macros;
  if (node->entries.size() > kMostMacros)
    unit.fail(*node, "'macros' has {} names; the most is {}", node->entries.size(), kMostMacros);
  const TableReader table(unit.file(), *node, "'macros'");
  for (const auto& entry : node->entries) {
    const std::string& name = entry.first;
    table.require_identifier(entry.second.position, name, "the name of a macro");
    macros.emplace(name, table.expression(name));
  }
  return macros;
}

std::vector<SourceUnit> read_units(const TableReader& table, const Implementation& implementation) {
  std::vector<SourceUnit> units;
  read_named(table, "unit", "[[implementation.unit]]",
             {"name", "source", "macros", "max_registers"}, units, [&](const TableReader& unit) {
               if (units.size() == kMostUnits)
                 table.fail(unit.node(), "an implementation has at most {} units", kMostUnits);
               return read_unit(unit, implementation);
             });
  std::vector<std::string> names = names_of(units, &SourceUnit::name);
  for (const Launch& launch : implementation.launches) {
    if (launch.macros.empty()) continue;
    if (units.size() == kMostUnits)
      table.fail(table.node(), "an implementation has at most {} units and launches with macros",
                 kMostUnits);
    names.push_back(launch.unit);
    units.push_back({launch.unit, implementation.source, launch.macros});
  }
  for (std::size_t i = 0; i < implementation.launches.size(); ++i)
    check_launch(table, implementation.launches, i, names);
  for (std::size_t i = 0; i < implementation.constants.size(); ++i)
    require_unit(table, table.elements("constant")[i], implementation.constants[i].unit, names);
  return units;
}

void check_fixed(const ExpressionCheck& checker, const std::string& key,
                 const Expression& expression, const std::string& what,
                 const std::vector<Parameter>& parameters) {
  checker.check(key, expression);
  for (const std::string& name : expression.names())
    if (find_named(parameters, name) == nullptr)
      checker.fail(key, "{} may use only parameters, which '{}' is not", what, name);
}

void check_macros(const ExpressionCheck& checker, const Implementation& implementation,
                  const Operation& operation) {
  const std::vector<Parameter>& parameters = implementation.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    check_fixed(checker, fmt::format("parameter[{}].compiled_in", i), parameters[i].compiled_in,
                "'compiled_in' of a parameter", parameters);
  check_names(checker, implementation, operation);
  check_compiled_in(checker, implementation, operation);
}

void check_reference_macros(const ExpressionCheck& checker, const Operation& operation) {
  const std::vector<std::string>& names = operation.reference.compiled_in;
  for (std::size_t i = 0; i < names.size(); ++i)
    check_problem_name(checker, fmt::format("reference.compiled_in[{}]", i), names[i], operation);
}

void check_units(const ExpressionCheck& checker, const std::vector<SourceUnit>& units) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (const auto& [name, value] : units[i].macros)
      checker.check(macro_key(units, i, name), value);
    if (units[i].max_registers)
      checker.check(fmt::format("unit[{}].max_registers", i), *units[i].max_registers);
  }
}

}  // namespace tilewright
