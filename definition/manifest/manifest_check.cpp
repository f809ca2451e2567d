#include <fmt/format.h>

#include <algorithm>

#include "definition/manifest/expression_check.hpp"
#include "definition/manifest/manifest.hpp"
#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

// A named launch argument is an argument, dimension or choice. Reading the manifest has already
// replaced parameters by values.
void check_bare_name(const ExpressionCheck& checker, const std::string& key,
                     const std::string& name, const Operation& operation) {
  std::vector<std::string> known = names_of(operation.arguments, &Argument::name);
  for (const auto& entry : problem_vocabulary(operation)) known.push_back(entry.first);
  if (!is_among(name, known))
    checker.fail(key, "no argument, dimension or choice '{}'{}", name, suggestion(name, known));
}

// Only an input buffer can be passed by value or as a texture, because a kernel cannot write to
// either. A tensor map can describe any buffer.
void check_buffer(const ExpressionCheck& checker, const std::string& key,
                  const LaunchArgument& launched, const Operation& operation) {
  const bool is_mapped = launched.kind == LaunchArgument::Kind::tensor_map;
  const char* const form = is_mapped                                         ? "a tensor map of"
                           : launched.kind == LaunchArgument::Kind::by_value ? "by value"
                                                                             : "as a texture";
  using Role = ArgumentRole;
  const std::vector<std::string> known =
      is_mapped ? buffers_of(operation, {Role::input, Role::output, Role::inout})
                : buffers_of(operation, {Role::input});
  if (!is_among(launched.name, known))
    checker.fail(key, "no {} '{}' to pass {}{}", is_mapped ? "buffer" : "input buffer",
                 launched.name, form, suggestion(launched.name, known));
}

void check_launch_argument(const ExpressionCheck& checker, const std::string& key,
                           const LaunchArgument& argument, const Operation& operation) {
  using Kind = LaunchArgument::Kind;
  checker.check(key + ".when", argument.when);
  if (argument.kind == Kind::by_value || argument.kind == Kind::tensor_map ||
      argument.kind == Kind::texture)
    check_buffer(checker, key, argument, operation);
  if (argument.kind == Kind::texture) check_texture(checker, key, argument, operation);
  if (argument.kind == Kind::tensor_map || argument.kind == Kind::workspace_map) {
    checker.check_label(key + ".type", argument.map.type,
                        names_of(kElementTypes, &ElementTypeFacts::name));
    checker.check_fields(key, argument.map, "type");
  }
  if (argument.kind == Kind::argument)
    check_bare_name(checker, key, argument.name, operation);
  else
    checker.check(key, argument.real.computed.value_or(argument.value));
  checker.check_fields(key, argument.real, "computed");
}

void check_launch(const ExpressionCheck& checker, const std::string& key, const Launch& launch,
                  const Operation& operation) {
  ExpressionCheck in_trip = checker;
  if (!launch.loop.empty()) in_trip.add("trip", {});
  ExpressionCheck with_resident = in_trip;
  with_resident.add("resident", {});
  check_entry(checker, key + ".entry", launch.entry, operation);
  checker.check(key + ".when", launch.when);
  with_resident.check_each(key + ".grid", launch.grid);
  in_trip.check_fields(key, launch, "grid");
  for (std::size_t j = 0; j < launch.arguments.size(); ++j)
    check_launch_argument(in_trip, fmt::format("{}.arguments[{}]", key, j), launch.arguments[j],
                          operation);
}

void check_launches(const ExpressionCheck& checker, const std::string& prefix,
                    const std::vector<Launch>& launches, const Operation& operation) {
  for (std::size_t i = 0; i < launches.size(); ++i)
    check_launch(checker, fmt::format("{}launch[{}]", prefix, i), launches[i], operation);
}

// Launches that prepare an input run without a call, so they have nothing else of it.
void check_preparation(const ExpressionCheck& checker, const std::string& key, const Launch& launch,
                       const Operation& operation) {
  if (launch.prepares.empty()) return;
  const Choice* const choice = preparation_of(operation);
  if (choice == nullptr || choice->name != launch.prepares)
    checker.fail(key + ".prepares",
                 "'{}' is no input for which the operation '{}' has a choice of its name with the "
                 "values each_call and prepared",
                 launch.prepares, operation.name);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchArgument& argument = launch.arguments[i];
    const bool is_own =
        argument.name == launch.prepares && (argument.kind == LaunchArgument::Kind::argument ||
                                             argument.kind == LaunchArgument::Kind::tensor_map);
    const bool is_of_call = (uses_workspace(argument) && !argument.prepared) ||
                            find_named(operation.arguments, argument.name) != nullptr ||
                            find_named(operation.hooks, argument.name) != nullptr;
    if (is_of_call && !is_own)
      checker.fail(fmt::format("{}.arguments[{}]", key, i),
                   "a launch that prepares '{0}' takes '{0}' in device memory, 'prepared' and "
                   "numbers, nothing else of a call",
                   launch.prepares);
  }
}

void check_kernel_fills(const ExpressionCheck& checker, const Operation& operation) {
  for (std::size_t i = 0; i < operation.arguments.size(); ++i)
    if (const auto fill = operation.kernel_fills.find(operation.arguments[i].name);
        fill != operation.kernel_fills.end())
      check_launch(checker, fmt::format("argument[{}].fill", i), fill->second.launches.front(),
                   operation);
}

bool is_taken(const std::string& name, const ExpressionCheck& checker, const Operation& operation) {
  return checker.knows(name) || find_named(operation.arguments, name) != nullptr;
}

// Goes through the parameters in order, so that `active` and `follows` can only use earlier ones.
// No parameter can then depend on itself.
void check_parameters(ExpressionCheck& checker, const std::vector<Parameter>& parameters,
                      const Operation& operation) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    const std::string key = fmt::format("parameter[{}]", i);
    const std::vector<std::string> labels = labels_of(parameter);
    for (const auto& [what, expression] :
         {std::pair("active", parameter.active), std::pair("follows", parameter.follows)}) {
      if (!expression) continue;
      const std::set<std::string> names = expression->names();
      for (std::size_t j = i; j < parameters.size(); ++j)
        if (const std::string& later = parameters[j].name; names.contains(later))
          checker.fail(fmt::format("{}.{}", key, what),
                       "'{}' may use only parameters that stand before '{}', which '{}' does not",
                       what, parameter.name, later);
      if (std::string_view(what) == "follows" && !labels.empty())
        checker.check_label(key + ".follows", *expression, labels);
      else
        checker.check(fmt::format("{}.{}", key, what), *expression);
    }
    if (is_taken(parameter.name, checker, operation))
      checker.fail(key + ".name", "'{}' is already a name of the operation '{}'", parameter.name,
                   operation.name);
    checker.add(parameter.name, labels);
  }
}

// What a term is called stands for nothing else in an expression.
void check_terms(ExpressionCheck checker, const Implementation& implementation,
                 const Operation& operation) {
  for (const Parameter& parameter : implementation.parameters)
    checker.add(parameter.name, labels_of(parameter));
  for (const auto& [name, term] : implementation.terms) {
    const std::string key = "terms." + name;
    if (is_taken(name, checker, operation))
      checker.fail(key, "the term '" + name +
                            "' has the name of a dimension, choice, parameter or argument");
    checker.check(key, term);
  }
}

void check_constraints(const ExpressionCheck& checker, const Implementation& implementation,
                       const Operation& operation) {
  const Configuration defaults = default_configuration(implementation);
  const Scope scope = scope_over({&defaults.values});
  for (std::size_t i = 0; i < implementation.constraints.size(); ++i) {
    const Constraint& constraint = implementation.constraints[i];
    const std::string key = fmt::format("constraint[{}].require", i);
    checker.check(key, constraint.require);
    const auto has_only_parameters = [&](const Expression& one) {
      return std::ranges::all_of(
          one.names(), [&](const std::string& name) { return defaults.values.contains(name); });
    };
    if (!has_only_parameters(constraint.require)) continue;
    const Expression require = bound(constraint.require, implementation, operation);
    if (!has_only_parameters(require)) continue;  // sizes of types may depend on choices
    try {
      if (!require.is_true(scope))
        checker.fail(key, "the default configuration breaks this constraint: {}", constraint.why);
    } catch (const ExpressionError& error) {
      checker.fail(key, fmt::format("no result for the default configuration: {}", error.what()),
                   error.position());
    }
  }
}

// A default may only use the choices before its own, so none depends on itself.
void check_choices(ExpressionCheck& checker, const std::vector<Choice>& choices) {
  Settings absent;  // what the choices are for settings that omit them
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Choice& choice = choices[i];
    const std::string key = fmt::format("choice[{}]", i);
    Value usual = choice.default_label;
    if (choice.computed_default) {
      checker.check_label(key + ".default", *choice.computed_default, choice.labels);
      try {
        usual = choice.computed_default->value(scope_over({&absent}));
      } catch (const ExpressionError&) {
        usual = std::string();  // depends on a choice that no settings omit
      }
    }
    if (!choice.absent.empty() && usual != Value(choice.absent))
      checker.fail(key + ".absent",
                   "'absent' is '{}', which is not the default of settings that omit '{}' and the "
                   "choices before it",
                   choice.absent, choice.name);
    if (!choice.absent.empty()) absent[choice.name] = choice.absent;
    checker.add(choice.name, choice.labels);
  }
}

void check_type(const ExpressionCheck& checker, const std::string& key, const Expression& type) {
  const std::vector<std::string> types = names_of(kElementTypes, &ElementTypeFacts::name);
  const ExpressionNode& root = type.root();
  if (root.op == Operator::name && !checker.knows(root.text))
    checker.fail(key,
                 fmt::format("'{}' is neither a type nor a choice whose values are types{}",
                             root.text, suggestion(root.text, types)),
                 root.position);
  checker.check_label(key, type, types);
}

void check_types(const ExpressionCheck& checker, const Operation& operation) {
  for (std::size_t i = 0; i < operation.arguments.size(); ++i)
    if (const auto& type = operation.arguments[i].computed_type)
      check_type(checker, fmt::format("argument[{}].type", i), *type);
  if (operation.comparison.sums) check_type(checker, "compare.sums", *operation.comparison.sums);
  for (std::size_t i = 0; i < operation.hooks.size(); ++i)
    checker.check_label(fmt::format("hook[{}].type", i), operation.hooks[i].type,
                        {"float32", "float64", "int32"});
}

}  // namespace

void check_operation(const Operation& operation) {
  ExpressionCheck checker(operation.manifest, "operation", operation.name, {});
  check_choices(checker, operation.choices);
  // A dimension's expressions can only use the dimensions before it, so none depends on itself.
  for (std::size_t i = 0; i < operation.dimensions.size(); ++i) {
    const Dimension& dimension = operation.dimensions[i];
    if (dimension.computed_default)
      checker.check(fmt::format("dimension[{}].default", i), *dimension.computed_default);
    if (dimension.computed_minimum)
      checker.check(fmt::format("dimension[{}].minimum", i), *dimension.computed_minimum);
    checker.add(dimension.name, {});
  }
  checker.add(problem_vocabulary(operation));
  check_types(checker, operation);
  checker.add_arguments(operation.arguments);  // a type cannot depend on the size of another
  checker.check_fields("", operation);
  for (std::size_t i = 0; i < operation.constraints.size(); ++i)
    checker.check(fmt::format("constraint[{}].require", i), operation.constraints[i].require);
  for (std::size_t i = 0; i < operation.hooks.size(); ++i)
    for (std::size_t j = 0; j < operation.hooks[i].coordinates.size(); ++j)
      checker.check(fmt::format("hook[{}].coordinates[{}].count", i, j),
                    operation.hooks[i].coordinates[j].count);
  for (std::size_t i = 0; i < operation.arguments.size(); ++i) {
    const Argument& argument = operation.arguments[i];
    const std::string key = fmt::format("argument[{}]", i);
    checker.check_fields(key, argument, "computed_type");
    checker.check_fields(key, argument.real, "computed");
    if (argument.real.computed) checker.check(key + ".value", *argument.real.computed);
    checker.check_fields(key + ".fill", argument.computed_fill);
  }
  checker.check_fields("compare", operation.comparison, "sums");
  check_reference_macros(checker, operation);
  checker.add(device_vocabulary());
  check_launches(checker, "reference.", operation.reference.launches, operation);
  check_loops(checker, "reference.", operation.reference.loops, operation.reference.launches,
              operation);
  check_constants(checker, "reference.", operation.reference.constants, operation, {});
  check_kernel_fills(checker, operation);
}

void check_against(const Implementation& implementation, const Operation& operation) {
  ExpressionCheck checker(implementation.manifest, "implementation", implementation.full_name(),
                          problem_vocabulary(operation));
  checker.add(device_vocabulary());
  checker.add_arguments(operation.arguments);
  check_terms(checker, implementation, operation);
  check_parameters(checker, implementation.parameters, operation);
  check_command(checker, implementation, operation);
  check_macros(checker, implementation, operation);
  check_constraints(checker, implementation, operation);
  check_units(checker, implementation.units);
  const bool has_own_operands =
      implementation.is_evaluator() && implementation.timed_by == TimedBy::author;
  if (operation.arguments.empty() && !has_own_operands)
    checker.fail("operation", "the operation '{}' has no argument with role output or inout",
                 operation.name);
  check_launches(checker, "", implementation.launches, operation);
  for (std::size_t i = 0; i < implementation.launches.size(); ++i)
    check_preparation(checker, fmt::format("launch[{}]", i), implementation.launches[i], operation);
  check_loops(checker, "", implementation.loops, implementation.launches, operation);
  check_constants(checker, "", implementation.constants, operation, implementation.parameters);
  checker.check_fields("", implementation);
  checker.check_fields("", implementation.own_work);
  checker.check_fields("workspace", implementation.workspace);
  checker.check_fields("estimate", implementation.estimate);
  if (implementation.cost) checker.check_fields("cost", *implementation.cost);
}

}  // namespace tilewright
