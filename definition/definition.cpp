#include "definition/definition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

bool is_type(const std::string& label) {
  return type_named(label).has_value();
}

}  // namespace

std::string label_macro(const std::string& name, const std::string& label) {
  return upper(name + '_' + label);
}

std::string problem_macro(const std::string& name) {
  return upper("problem_" + name);
}

std::string macro_of(const CompiledIn& item) {
  return item.term ? upper("term_" + item.name) : problem_macro(item.name);
}

bool holds_types(const Choice& choice) {
  return std::ranges::all_of(choice.labels, is_type);
}

bool names_types(const Choice& choice) {
  return std::ranges::any_of(choice.labels, is_type);
}

std::string type_macro(const std::string& choice) {
  return upper(choice);
}

ElementType type_of(const Expression& type, const Scope& scope) {
  const auto refuse = [&](const std::string& why) {
    return InputError(fmt::format("the type '{}': {}", type.text(), why));
  };
  try {
    const std::string name = to_text(type.value(scope));
    if (const auto found = type_named(name)) return *found;
    throw refuse('\'' + name + "' is none");
  } catch (const ExpressionError& error) {
    throw refuse(error.what());
  }
}

ElementType type_of(const Argument& argument, const Scope& scope) {
  return argument.computed_type ? type_of(*argument.computed_type, scope) : argument.type;
}

std::string entry_of(std::string entry, const Operation& operation, const Scope& scope) {
  for (const Choice& choice : operation.choices) {
    if (entry.find('{') == std::string::npos) break;
    const auto value = scope(choice.name);
    if (!holds_types(choice) || (!value && choice.absent.empty())) continue;
    const ElementType type = type_named(value ? to_text(*value) : choice.absent).value();
    const std::string written = '{' + choice.name + '}';
    for (std::size_t at = 0; (at = entry.find(written, at)) != std::string::npos;)
      entry.replace(at, written.size(), facts_of(type).cuda);
  }
  return entry;
}

const Choice* preparation_of(const Operation& operation) {
  for (const Choice& choice : operation.choices)
    if (find_named(operation.arguments, choice.name) != nullptr) return &choice;
  return nullptr;
}

std::optional<int> prepared_input(const Operation& operation, const Scope& scope) {
  const Choice* const choice = preparation_of(operation);
  if (choice == nullptr) return std::nullopt;
  const auto value = scope(choice->name);
  if ((value ? to_text(*value) : choice->absent) != kPreparations.back()) return std::nullopt;
  return static_cast<int>(find_named(operation.arguments, choice->name) -
                          operation.arguments.data());
}

bool uses_workspace(const LaunchArgument& argument) {
  return argument.kind == LaunchArgument::Kind::workspace ||
         argument.kind == LaunchArgument::Kind::workspace_map;
}

std::vector<std::string> labels_of(const Parameter& parameter) {
  std::vector<std::string> labels;
  for (const Value& value : parameter.values)
    if (const auto* label = std::get_if<std::string>(&value)) labels.push_back(*label);
  return labels;
}

void set(Configuration& configuration, const Parameter& parameter, const Value& value) {
  if (value == parameter.absent)
    configuration.values.erase(parameter.name);
  else
    configuration.values[parameter.name] = value;
}

const Value* find_value(const Configuration& configuration, const Parameter& parameter) {
  const auto found = configuration.values.find(parameter.name);
  if (found != configuration.values.end()) return &found->second;
  return parameter.absent ? &*parameter.absent : nullptr;
}

std::optional<Value> find_value(const Problem& problem, const Choice& choice) {
  const auto found = problem.values.find(choice.name);
  if (found != problem.values.end()) return found->second;
  return choice.absent.empty() ? std::nullopt : std::optional<Value>(choice.absent);
}

std::optional<Value> find_value(const Operation& operation, const Problem& problem,
                                const std::string& name) {
  if (const Choice* const choice = find_named(operation.choices, name))
    return find_value(problem, *choice);
  const auto found = problem.values.find(name);
  return found == problem.values.end() ? std::nullopt : std::optional(found->second);
}

std::vector<const Implementation*> comparable(const std::vector<Implementation>& all) {
  std::vector<const Implementation*> chosen;
  const bool has_kernel = std::ranges::any_of(
      all, [](const Implementation& one) { return !one.is_evaluator() && !one.is_routine(); });
  const bool has_evaluator = std::ranges::any_of(all, &Implementation::is_evaluator);
  for (const Implementation& one : all)
    if (one.is_evaluator() == (has_evaluator && !has_kernel)) chosen.push_back(&one);
  return chosen;
}

void require_kernel(const Implementation& implementation, const std::string& why_not) {
  if (implementation.is_evaluator())
    throw InputError(
        fmt::format("{} is an evaluator: its process {}", implementation.full_name(), why_not));
}

Configuration default_configuration(const Implementation& implementation) {
  Configuration configuration;
  for (const Parameter& parameter : implementation.parameters)
    set(configuration, parameter, parameter.default_value);
  return configuration;
}

Configuration default_with(const Implementation& implementation, const Settings& values) {
  Configuration configuration = default_configuration(implementation);
  for (const Parameter& parameter : implementation.parameters)
    if (const auto given = values.find(parameter.name); given != values.end())
      set(configuration, parameter, given->second);
  return configuration;
}

std::vector<Configuration> general_configurations(const Implementation& implementation) {
  std::vector<Configuration> configurations = {default_configuration(implementation)};
  for (const Settings& values : implementation.general)
    configurations.push_back(default_with(implementation, values));
  return configurations;
}

std::string hook_argument(const Hook& hook, const Argument& argument) {
  return hook.name + '_' + argument.name;
}

}  // namespace tilewright
