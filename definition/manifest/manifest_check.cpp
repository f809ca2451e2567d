#include <fmt/format.h>

#include <algorithm>

#include "definition/manifest/expression_check.hpp"
#include "definition/manifest/manifest.hpp"
#include "definition/manifest/manifest_parts.hpp"
#include "definition/manifest/toml_file.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

Vocabulary problem_vocabulary(const Operation& operation) {
  Vocabulary vocabulary;
  for (const Dimension& dimension : operation.dimensions) vocabulary[dimension.name] = {};
  for (const Choice& choice : operation.choices) vocabulary[choice.name] = choice.labels;
  for (const Hook& hook : operation.hooks) vocabulary[hook.name] = {kNoSnippet};
  return vocabulary;
}

std::vector<std::string> labels_of(const Parameter& parameter) {
  std::vector<std::string> labels;
  for (const Value& value : parameter.values)
    if (const auto* label = std::get_if<std::string>(&value)) labels.push_back(*label);
  return labels;
}

void check_extent(const ExpressionCheck& checker, const std::string& key,
                  const std::array<Expression, 3>& extent, const Vocabulary& vocabulary) {
  for (std::size_t i = 0; i < extent.size(); ++i)
    checker.check(fmt::format("{}[{}]", key, i), extent.at(i), vocabulary);
}

// A named launch argument is an argument, dimension or choice. Reading the manifest has already
// replaced parameters by values.
void check_bare_name(const ExpressionCheck& checker, const std::string& key,
                     const std::string& name, const Operation& operation) {
  std::vector<std::string> known;
  for (const Argument& argument : operation.arguments) known.push_back(argument.name);
  for (const auto& entry : problem_vocabulary(operation)) known.push_back(entry.first);
  if (std::find(known.begin(), known.end(), name) == known.end())
    checker.fail(
        key, fmt::format("no argument, dimension or choice '{}'{}", name, suggestion(name, known)));
}

// Only an input buffer can be passed by value. A tensor map can describe any buffer.
void check_buffer(const ExpressionCheck& checker, const std::string& key,
                  const LaunchArgument& launched, const Operation& operation) {
  const bool by_value = launched.kind == LaunchArgument::Kind::by_value;
  std::vector<std::string> known;
  for (const Argument& argument : operation.arguments)
    if (argument.kind == ArgumentKind::buffer &&
        (!by_value || argument.role == ArgumentRole::input))
      known.push_back(argument.name);
  if (std::find(known.begin(), known.end(), launched.name) == known.end())
    checker.fail(key, fmt::format("no {} '{}' to pass {}{}", by_value ? "input buffer" : "buffer",
                                  launched.name, by_value ? "by value" : "a tensor map of",
                                  suggestion(launched.name, known)));
}

void check_tensor_map(const ExpressionCheck& checker, const std::string& key, const TensorMap& map,
                      const Vocabulary& vocabulary) {
  const auto check_all = [&](const std::string& name, const std::vector<Expression>& expressions) {
    for (std::size_t i = 0; i < expressions.size(); ++i)
      checker.check(fmt::format("{}.{}[{}]", key, name, i), expressions[i], vocabulary);
  };
  check_all("dims", map.dims);
  check_all("strides", map.strides);
  check_all("box", map.box);
  checker.check(key + ".swizzle", map.swizzle, vocabulary);
  checker.check(key + ".promote", map.promote, vocabulary);
}

void check_launch_argument(const ExpressionCheck& checker, const std::string& key,
                           const LaunchArgument& argument, const Operation& operation,
                           const Vocabulary& vocabulary) {
  using Kind = LaunchArgument::Kind;
  checker.check(key + ".when", argument.when, vocabulary);
  if (argument.kind == Kind::by_value || argument.kind == Kind::tensor_map)
    check_buffer(checker, key, argument, operation);
  if (argument.kind == Kind::tensor_map) check_tensor_map(checker, key, argument.map, vocabulary);
  if (argument.kind == Kind::argument)
    check_bare_name(checker, key, argument.name, operation);
  else
    checker.check(key, argument.value, vocabulary);
}

void check_launches(const ExpressionCheck& checker, const std::string& prefix,
                    const std::vector<Launch>& launches, const Operation& operation,
                    const Vocabulary& vocabulary) {
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const Launch& launch = launches[i];
    const std::string key = fmt::format("{}launch[{}]", prefix, i);
    checker.check(key + ".when", launch.when, vocabulary);
    check_extent(checker, key + ".grid", launch.grid, vocabulary);
    check_extent(checker, key + ".block", launch.block, vocabulary);
    check_extent(checker, key + ".cluster", launch.cluster, vocabulary);
    checker.check(key + ".shared_bytes", launch.shared_bytes, vocabulary);
    for (std::size_t j = 0; j < launch.arguments.size(); ++j)
      check_launch_argument(checker, fmt::format("{}.arguments[{}]", key, j), launch.arguments[j],
                            operation, vocabulary);
  }
}

// The implementation's place in its manifest; the first one if the manifest can no longer be read.
std::string place_of(const Implementation& implementation) {
  std::size_t found = 0;
  try {
    const TomlFile file = read_toml(implementation.manifest);
    const TomlNode* all = find_node(file.root, "implementation");
    for (std::size_t i = 0; all != nullptr && i < all->elements.size(); ++i) {
      const TomlNode* name = find_node(all->elements[i], "name");
      if (name != nullptr && name->text == implementation.name) found = i;
    }
  } catch (const InputError&) {
    found = 0;
  }
  return fmt::format("implementation[{}]", found);
}

// Checks one implementation against its operation.
class ImplementationCheck {
 public:
  ImplementationCheck(const Implementation& implementation, const Operation& operation)
      : implementation_(implementation),
        operation_(operation),
        checker_(implementation.manifest, place_of(implementation),
                 fmt::format("implementation '{}'", implementation.full_name())),
        vocabulary_(problem_vocabulary(operation)) {
    vocabulary_.merge(device_vocabulary());
  }

  void run() {
    check_parameters();
    check_macros();
    check_compiled_in();
    check_constraints();
    check_launches(checker_, "", implementation_.launches, operation_, vocabulary_);
    checker_.check("workspace.bytes", implementation_.workspace.bytes, vocabulary_);
    checker_.check("estimate.shared_bytes", implementation_.estimate.shared_bytes, vocabulary_);
    checker_.check("estimate.registers", implementation_.estimate.registers, vocabulary_);
  }

 private:
  void check_parameters();
  void check_macros();
  void take_macro(const std::string& key, const std::string& macro,
                  std::vector<std::string>& taken);
  void check_compiled_in();
  void check_constraints();

  const Implementation& implementation_;
  const Operation& operation_;
  ExpressionCheck checker_;
  Vocabulary vocabulary_;
};

// Goes through the parameters in order, so that `active` can only use earlier ones. No parameter
// can then depend on itself.
void ImplementationCheck::check_parameters() {
  for (std::size_t i = 0; i < implementation_.parameters.size(); ++i) {
    const Parameter& parameter = implementation_.parameters[i];
    const std::string key = fmt::format("parameter[{}]", i);
    if (parameter.active) {
      const std::set<std::string> names = parameter.active->names();
      for (std::size_t j = i; j < implementation_.parameters.size(); ++j)
        if (const std::string& later = implementation_.parameters[j].name; names.contains(later))
          checker_.fail(key + ".active",
                        fmt::format("'active' may use only parameters that stand before '{}', "
                                    "which '{}' does not",
                                    parameter.name, later));
      checker_.check(key + ".active", *parameter.active, vocabulary_);
    }
    const bool is_argument =
        std::any_of(operation_.arguments.begin(), operation_.arguments.end(),
                    [&](const Argument& argument) { return argument.name == parameter.name; });
    if (is_argument || vocabulary_.contains(parameter.name))
      checker_.fail(key + ".name", fmt::format("'{}' is already a name of the operation '{}'",
                                               parameter.name, operation_.name));
    vocabulary_[parameter.name] = labels_of(parameter);
  }
}

void ImplementationCheck::take_macro(const std::string& key, const std::string& macro,
                                     std::vector<std::string>& taken) {
  if (std::find(taken.begin(), taken.end(), macro) != taken.end())
    checker_.fail(key, fmt::format("the macro {} would be defined twice", macro));
  taken.push_back(macro);
}

void ImplementationCheck::check_macros() {
  std::vector<std::string> taken;
  for (const Choice& choice : operation_.choices)
    for (const std::string& label : choice.labels)
      take_macro("name", label_macro(choice.name, label), taken);
  for (const CompiledIn& item : implementation_.compiled_in)
    take_macro("compiled_in", problem_macro(item.name), taken);
  for (std::size_t i = 0; i < implementation_.parameters.size(); ++i) {
    const Parameter& parameter = implementation_.parameters[i];
    const std::string key = fmt::format("parameter[{}].name", i);
    take_macro(key, parameter.name, taken);
    for (const std::string& label : labels_of(parameter))
      take_macro(key, label_macro(parameter.name, label), taken);
  }
}

void ImplementationCheck::check_compiled_in() {
  const Vocabulary problem = problem_vocabulary(operation_);
  std::vector<std::string> known;
  for (const auto& entry : problem) known.push_back(entry.first);
  for (std::size_t i = 0; i < implementation_.compiled_in.size(); ++i) {
    const CompiledIn& item = implementation_.compiled_in[i];
    const std::string key = fmt::format("compiled_in[{}]", i);
    const bool is_hook =
        std::ranges::find(operation_.hooks, item.name, &Hook::name) != operation_.hooks.end();
    if (is_hook || !problem.contains(item.name))
      checker_.fail(key, fmt::format("no dimension or choice '{}'{}", item.name,
                                     suggestion(item.name, known)));
    checker_.check(key + ".when", item.when, vocabulary_);
  }
}

void ImplementationCheck::check_constraints() {
  const Configuration defaults = default_configuration(implementation_);
  const Scope scope = scope_over({&defaults.values});
  for (std::size_t i = 0; i < implementation_.constraints.size(); ++i) {
    const Constraint& constraint = implementation_.constraints[i];
    const std::string key = fmt::format("constraint[{}].require", i);
    checker_.check(key, constraint.require, vocabulary_);
    const std::set<std::string> names = constraint.require.names();
    const bool only_parameters =
        std::all_of(names.begin(), names.end(),
                    [&](const std::string& name) { return defaults.values.contains(name); });
    if (!only_parameters) continue;
    try {
      if (!constraint.require.is_true(scope))
        checker_.fail(key, fmt::format("the default configuration breaks this constraint: {}",
                                       constraint.why));
    } catch (const ExpressionError& error) {
      checker_.fail(key, fmt::format("no result for the default configuration: {}", error.what()),
                    error.position());
    }
  }
}

// A dimension's expressions can only use the dimensions before it, so none depends on itself.
void check_dimensions(const ExpressionCheck& checker, const Operation& operation) {
  Vocabulary earlier;
  for (const Choice& choice : operation.choices) earlier[choice.name] = choice.labels;
  for (std::size_t i = 0; i < operation.dimensions.size(); ++i) {
    const Dimension& dimension = operation.dimensions[i];
    if (dimension.computed_default)
      checker.check(fmt::format("dimension[{}].default", i), *dimension.computed_default, earlier);
    if (dimension.computed_minimum)
      checker.check(fmt::format("dimension[{}].minimum", i), *dimension.computed_minimum, earlier);
    earlier[dimension.name] = {};
  }
}

}  // namespace

void check_operation(const Operation& operation) {
  const ExpressionCheck checker(operation.manifest, "operation",
                                fmt::format("operation '{}'", operation.name));
  check_dimensions(checker, operation);
  Vocabulary vocabulary = problem_vocabulary(operation);
  checker.check("flops", operation.flops, vocabulary);
  checker.check("bytes", operation.bytes, vocabulary);
  for (std::size_t i = 0; i < operation.classes.size(); ++i)
    checker.check(fmt::format("classes[{}]", i), operation.classes[i], vocabulary);
  for (std::size_t i = 0; i < operation.hooks.size(); ++i)
    for (std::size_t j = 0; j < operation.hooks[i].coordinates.size(); ++j)
      checker.check(fmt::format("hook[{}].coordinates[{}].count", i, j),
                    operation.hooks[i].coordinates[j].count, vocabulary);
  for (std::size_t i = 0; i < operation.arguments.size(); ++i) {
    const Argument& argument = operation.arguments[i];
    checker.check(fmt::format("argument[{}].count", i), argument.count, vocabulary);
    checker.check(fmt::format("argument[{}].read_when", i), argument.read_when, vocabulary);
    if (argument.value)
      checker.check(fmt::format("argument[{}].value", i), *argument.value, vocabulary);
  }
  checker.check("compare.reduction", operation.comparison.reduction, vocabulary);
  vocabulary.merge(device_vocabulary());
  check_launches(checker, "reference.", operation.reference.launches, operation, vocabulary);
}

void check_against(const Implementation& implementation, const Operation& operation) {
  ImplementationCheck(implementation, operation).run();
}

}  // namespace tilewright
