#include "definition/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <type_traits>

#include "definition/fields.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kDevicePrefix = "device.";

template <class Field>
std::optional<Value> value_of(const Field& field) {
  if constexpr (std::is_same_v<Field, DeviceKind>)
    return std::string(to_text(field));
  else if constexpr (std::is_constructible_v<Value, Field>)
    return Value(field);
  else
    return std::nullopt;
}

template <class... Parts>
[[noreturn]] void fail(const Operation& operation, fmt::format_string<Parts...> reason,
                       Parts&&... parts) {
  throw bad_input("{}: {}", operation.name, fmt::format(reason, std::forward<Parts>(parts)...));
}

[[noreturn]] void fail_range(const Operation& operation, const Dimension& dimension,
                             const std::string& value, std::int64_t minimum) {
  fail(operation, "{}={} is outside {} to {}", dimension.name, value, minimum, dimension.maximum);
}

// "4000" for "4_000": as in TOML, each '_' stands between two digits. Others stay.
std::string without_separators(const std::string& number) {
  const auto is_digit = [&](std::size_t at) {
    return at < number.size() && number[at] >= '0' && number[at] <= '9';
  };
  std::string digits;
  for (std::size_t i = 0; i < number.size(); ++i)
    if (number[i] != '_' || i == 0 || !is_digit(i - 1) || !is_digit(i + 1)) digits += number[i];
  return digits;
}

std::int64_t number(const Operation& operation, const Dimension& dimension,
                    const std::string& value) {
  std::int64_t result = 0;
  const std::string digits = without_separators(value);
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, result);
  const bool whole = error != std::errc::invalid_argument && stop == end;
  if (!whole) fail(operation, "{}={} is not a whole number", dimension.name, value);
  const bool fits = error == std::errc{};
  if (!fits || result < dimension.minimum || result > dimension.maximum)
    fail_range(operation, dimension, value, dimension.minimum);
  return result;
}

// with_snippet() has already put the snippet, if there is one, into the operation.
std::string label_in(const Hook& hook) {
  return hook.snippet ? hook.snippet->label() : kNoSnippet;
}

Value accepted(const Operation& operation, const std::string& name, const std::string& value) {
  std::vector<std::string> known;
  for (const Dimension& dimension : operation.dimensions) {
    if (dimension.name == name) return number(operation, dimension, value);
    known.push_back(dimension.name);
  }
  for (const Choice& choice : operation.choices) {
    known.push_back(choice.name);
    if (choice.name != name) continue;
    if (is_among(value, choice.labels)) return value;
    fail(operation, "{}={} is none of {}", name, value, fmt::join(choice.labels, ", "));
  }
  for (const Hook& hook : operation.hooks) {
    known.push_back(hook.name);
    if (hook.name != name) continue;
    const std::string label = label_in(hook);
    if (value == label || (hook.snippet && value == hook.snippet->name)) return label;
    fail(operation, "{}={}: the snippet at hand is {}", name, value, label);
  }
  fail(operation, "no dimension or choice '{}'{}", name, suggestion(name, known));
}

void add_value(const Operation& operation, Settings& values, const std::string& name,
               const std::string& value) {
  if (values.contains(name)) fail(operation, "'{}' is given twice", name);
  values[name] = accepted(operation, name, value);
}

// REQUIRES that all choices and the dimensions before this one have their values.
std::int64_t default_of(const Operation& operation, const Dimension& dimension,
                        const Settings& values, const Device& device) {
  if (!dimension.computed_default)
    return runs_on_cpu(device.kind) ? dimension.host_default : dimension.default_value;
  const std::int64_t value =
      evaluate(*dimension.computed_default, scope_over({&values}),
               fmt::format("{}: default of '{}'", operation.name, dimension.name));
  return number(operation, dimension, std::to_string(value));
}

std::string default_of(const Operation& operation, const Choice& choice, const Settings& values) {
  if (!choice.computed_default) return choice.default_label;
  try {
    return to_text(choice.computed_default->value(scope_over({&values})));
  } catch (const ExpressionError& error) {
    fail(operation, "default of '{}': {}", choice.name, error.what());
  }
}

// Gives the choices their values. Those that settings omit are missing afterwards.
void complete_choices(const Operation& operation, Settings& values) {
  for (const Choice& choice : operation.choices) {
    const std::string usual = default_of(operation, choice, values);
    const auto [value, is_new] = values.emplace(choice.name, usual);
    if (value->second == Value(usual) && usual == choice.absent) values.erase(value);
  }
}

void check_minimums(const Operation& operation, const Settings& values) {
  for (const Dimension& dimension : operation.dimensions) {
    if (!dimension.computed_minimum) continue;
    const std::int64_t minimum =
        evaluate(*dimension.computed_minimum, scope_over({&values}),
                 fmt::format("{}: minimum of '{}'", operation.name, dimension.name));
    const Value& value = values.at(dimension.name);
    if (std::get<std::int64_t>(value) < minimum)
      fail_range(operation, dimension, to_text(value), minimum);
  }
}

// Of so many elements; the greatest number if there are more.
std::int64_t numbers_in(const Argument& argument, std::int64_t elements) {
  std::int64_t numbers = 0;
  return __builtin_mul_overflow(elements, argument.lanes, &numbers)
             ? std::numeric_limits<std::int64_t>::max()
             : numbers;
}

void check_counts(const Operation& operation, const Problem& problem, const Scope& scope) {
  for (const Argument& argument : operation.arguments) {
    if (argument.kind == ArgumentKind::scalar || !is_present(argument, scope)) continue;
    const bool is_array = argument.kind == ArgumentKind::array;
    const std::int64_t most = is_array ? argument.capacity : kMostBufferElements;
    const std::int64_t count = numbers_in(
        argument,
        evaluate(argument.count, scope,
                 fmt::format("{}: count of argument '{}'", operation.name, argument.name)));
    if (count < 0 || count > most)
      fail(operation, "{} '{}' would have {} elements for {}; it has 0 to {}",
           is_array ? "array" : "buffer", argument.name, count, to_text(problem.values), most);
  }
}

// `precision=tf32, type_a=float16`: what the constraint is about.
std::string values_in(const Constraint& constraint, const Operation& operation,
                      const Problem& problem) {
  std::vector<std::string> values;
  for (const std::string& name : constraint.require.names())
    if (const auto value = find_value(operation, problem, name))
      values.push_back(name + '=' + to_text(*value));
  return fmt::format("{}", fmt::join(values, ", "));
}

void check_constraints(const Operation& operation, const Problem& problem, const Scope& scope) {
  for (const Constraint& constraint : operation.constraints)
    if (evaluate(constraint.require, scope,
                 fmt::format("{}: the constraint '{}'", operation.name, constraint.why)) == 0)
      fail(operation, "{}: {}", values_in(constraint, operation, problem), constraint.why);
}

// The formulas that reports and look-ups work out.
void check_formulas(const Operation& operation, const Scope& scope) {
  const auto check = [&](const Expression& formula, const std::string& what) {
    evaluate(formula, scope, fmt::format("{}: {}", operation.name, what));
  };
  check(operation.flops, "flops");
  check(operation.bytes, "bytes");
  check(operation.comparison.reduction, "the comparison's reduction");
  check(operation.comparison.inputs, "the comparison's inputs");
  for (const Expression& formula : operation.classes) check(formula, "classes");
  for (const Dimension& dimension : operation.dimensions)
    if (dimension.computed_default)
      check(*dimension.computed_default, fmt::format("default of '{}'", dimension.name));
}

// Throws InputError for the first of `names` that has no value.
void require_values(const Operation& operation, const Settings& values, const auto& named) {
  for (const auto& one : named)
    if (!values.contains(one.name))
      fail(operation, "the problem {} has no '{}'", to_text(values), one.name);
}

bool is_hook(const Operation& operation, const std::string& name) {
  return find_named(operation.hooks, name) != nullptr;
}

// The problem with these values, which are checked, and the defaults of all others.
Problem completed(const Operation& operation, Settings values, const Device& device) {
  complete_choices(operation, values);
  for (const Hook& hook : operation.hooks) values.emplace(hook.name, label_in(hook));
  for (const Dimension& dimension : operation.dimensions)
    if (!values.contains(dimension.name))
      values[dimension.name] = default_of(operation, dimension, values, device);
  check_minimums(operation, values);
  Problem problem{operation.name, std::move(values)};
  const Scope scope = full_scope(problem, device);
  check_constraints(operation, problem, scope);
  check_counts(operation, problem, scope);
  return problem;
}

// The parts of `A=B=1`.
std::vector<std::string> split(const std::string& assignment) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (;;) {
    const std::size_t end = assignment.find('=', start);
    parts.push_back(assignment.substr(start, end - start));
    if (end == std::string::npos) return parts;
    start = end + 1;
  }
}

}  // namespace

Settings given_values(const Operation& operation, const std::vector<std::string>& assignments) {
  Settings values;
  for (const std::string& assignment : assignments) {
    const std::vector<std::string> parts = split(assignment);
    if (parts.size() < 2 || is_among("", parts))
      fail(operation, "'{}' is not NAME=VALUE or NAME=NAME=VALUE", assignment);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
      add_value(operation, values, parts[i], parts.back());
  }
  return values;
}

Problem make_problem(const Operation& operation, const std::vector<std::string>& assignments,
                     const Device& device) {
  return completed(operation, given_values(operation, assignments), device);
}

Problem make_problem(const Operation& operation, const Settings& values, const Device& device) {
  Settings checked;
  for (const auto& [name, value] : values) add_value(operation, checked, name, to_text(value));
  return completed(operation, std::move(checked), device);
}

void check_problem(const Operation& operation, const Problem& problem, const Device& device) {
  const Settings& values = problem.values;
  for (const auto& [name, value] : values)
    if (!is_hook(operation, name)) accepted(operation, name, to_text(value));
  require_values(operation, values, operation.dimensions);
  for (const Choice& choice : operation.choices)
    if (choice.absent.empty()) require_values(operation, values, std::span(&choice, 1));
  require_values(operation, values, operation.hooks);
  check_minimums(operation, values);
  const Scope scope = full_scope(problem, device);
  check_constraints(operation, problem, scope);
  check_counts(operation, problem, scope);
  check_formulas(operation, scope);
}

std::optional<Value> device_value(const Device& device, std::string_view name) {
  if (!name.starts_with(kDevicePrefix)) return std::nullopt;
  name.remove_prefix(kDevicePrefix.size());
  for (const DeviceField& field : kDeviceFields)
    if (field.in_expressions && name == field.name)
      return std::visit([&device](auto member) { return value_of(device.*member); }, field.member);
  return std::nullopt;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const DeviceField& field : kDeviceFields)
    if (field.in_expressions) names.push_back(std::string(kDevicePrefix) + field.name);
  return names;
}

Scope full_scope(const Problem& problem, const Configuration& configuration, const Device& device) {
  Scope settings = scope_over({&problem.values, &configuration.values});
  return [settings = std::move(settings), &device](std::string_view name) {
    std::optional<Value> found = settings(name);
    return found ? found : device_value(device, name);
  };
}

Scope full_scope(const Problem& problem, const Device& device) {
  static const auto& kNone = *new const Configuration;
  return full_scope(problem, kNone, device);
}

std::int64_t evaluate(const Expression& expression, const Scope& scope, const std::string& what) {
  try {
    return expression.evaluate(scope);
  } catch (const ExpressionError& error) {
    throw bad_input("{}: {} (character {} of '{}')", what, error.what(), error.position() + 1,
                    expression.written());
  }
}

std::int64_t count_of(const Argument& argument, const Scope& scope) {
  return numbers_in(argument, evaluate(argument.count, scope,
                                       fmt::format("count of argument '{}'", argument.name)));
}

bool is_present(const Argument& argument, const Scope& scope) {
  return evaluate(argument.when, scope, fmt::format("when of argument '{}'", argument.name)) != 0;
}

std::int64_t operand_bytes(const Operation& operation, const Problem& problem) {
  const Scope scope = scope_over({&problem.values});
  std::int64_t bytes = 0;
  for (const Argument& argument : operation.arguments) {
    if (argument.kind != ArgumentKind::buffer || !is_present(argument, scope)) continue;
    bytes +=
        count_of(argument, scope) * static_cast<std::int64_t>(size_of(type_of(argument, scope)));
  }
  return bytes;
}

}  // namespace tilewright
