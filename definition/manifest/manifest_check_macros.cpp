#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "definition/manifest/bind.hpp"
#include "definition/manifest/expression_check.hpp"
#include "definition/manifest/manifest_parts.hpp"
#include "definition/problem.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

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
      checker.fail(key, fmt::format("the macro {} would be defined twice", macro));
  };
  for (const Choice& choice : operation.choices) {
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
                     fmt::format("the macro {} would be defined twice", name));
}

// Whether a parameter is a macro must not depend on the problem, because other problems are
// verified with the same code.
void check_parameter_macros(const ExpressionCheck& checker,
                            const std::vector<Parameter>& parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string key = fmt::format("parameter[{}].compiled_in", i);
    checker.check(key, parameters[i].compiled_in);
    for (const std::string& name : parameters[i].compiled_in.names())
      if (std::ranges::find(parameters, name, &Parameter::name) == parameters.end())
        checker.fail(key, fmt::format("'compiled_in' of a parameter may use only parameters, "
                                      "which '{}' is not",
                                      name));
  }
}

// Refuses what is no dimension or choice. `key` is the name's place.
void check_problem_name(const ExpressionCheck& checker, const std::string& key,
                        const std::string& name, const Operation& operation) {
  const Vocabulary problem = problem_vocabulary(operation);
  std::vector<std::string> known;
  for (const auto& entry : problem) known.push_back(entry.first);
  const bool is_hook =
      std::ranges::find(operation.hooks, name, &Hook::name) != operation.hooks.end();
  if (is_hook || !problem.contains(name))
    checker.fail(key, fmt::format("no dimension or choice '{}'{}", name, suggestion(name, known)));
}

// The value of a term in the code must not depend on the problem, because other problems are
// verified with the same code.
void check_term_macro(const ExpressionCheck& checker, const std::string& key,
                      const CompiledIn& item, const Implementation& implementation,
                      const Operation& operation) {
  const auto is_fixed = [&](const std::string& name) {
    return std::ranges::find(implementation.parameters, name, &Parameter::name) !=
               implementation.parameters.end() ||
           std::ranges::any_of(implementation.compiled_in, [&](const CompiledIn& other) {
             return other.name == name && other.when.names().empty();
           });
  };
  for (const std::string& name : bound(*item.term, implementation, operation).names())
    if (!is_fixed(name))
      checker.fail(key, fmt::format("the term '{}' uses '{}', which is neither a parameter nor "
                                    "always compiled in",
                                    item.name, name));
}

void check_compiled_in(const ExpressionCheck& checker, const Implementation& implementation,
                       const Operation& operation) {
  for (std::size_t i = 0; i < implementation.compiled_in.size(); ++i) {
    const CompiledIn& item = implementation.compiled_in[i];
    const std::string key = fmt::format("compiled_in[{}]", i);
    if (item.term)
      check_term_macro(checker, key, item, implementation, operation);
    else
      check_problem_name(checker, key, item.name, operation);
    checker.check(key + ".when", item.when);
  }
}

}  // namespace

void check_macros(const ExpressionCheck& checker, const Implementation& implementation,
                  const Operation& operation) {
  check_parameter_macros(checker, implementation.parameters);
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
