#include "definition/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <type_traits>

#include "definition/fields.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kMostElements = 2147483647;

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

// Checks values from assignments and from settings in the same way, with the same messages.
class ProblemBuilder {
 public:
  explicit ProblemBuilder(const Operation& operation) : operation_(operation) {
    problem_.operation = operation.name;
  }

  void set(const std::string& name, const std::string& value) {
    if (problem_.values.contains(name)) fail(fmt::format("'{}' is given twice", name));
    problem_.values[name] = accepted(name, value);
  }

  Problem finish(const Device& device) {
    for (const Choice& choice : operation_.choices)
      problem_.values.emplace(choice.name, choice.default_label);
    for (const Hook& hook : operation_.hooks)
      problem_.values.emplace(hook.name, hook.snippet ? hook.snippet->label() : kNoSnippet);
    for (const Dimension& dimension : operation_.dimensions)
      if (!problem_.values.contains(dimension.name))
        problem_.values[dimension.name] = default_of(dimension, device);
    check_minimums();
    check_counts(device);
    return std::move(problem_);
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw InputError(operation_.name + ": " + reason);
  }

 private:
  Value accepted(const std::string& name, const std::string& value) const;
  std::int64_t default_of(const Dimension& dimension, const Device& device) const;
  std::int64_t number(const Dimension& dimension, const std::string& value) const;
  std::string label(const Choice& choice, const std::string& value) const;
  std::string snippet(const Hook& hook, const std::string& value) const;
  void check_minimums() const;
  void check_counts(const Device& device) const;
  [[noreturn]] void fail_range(const Dimension& dimension, const std::string& value,
                               std::int64_t minimum) const;

  const Operation& operation_;
  Problem problem_;
};

Value ProblemBuilder::accepted(const std::string& name, const std::string& value) const {
  std::vector<std::string> known;
  for (const Dimension& dimension : operation_.dimensions) {
    if (dimension.name == name) return number(dimension, value);
    known.push_back(dimension.name);
  }
  for (const Choice& choice : operation_.choices) {
    if (choice.name == name) return label(choice, value);
    known.push_back(choice.name);
  }
  for (const Hook& hook : operation_.hooks) {
    if (hook.name == name) return snippet(hook, value);
    known.push_back(hook.name);
  }
  fail(fmt::format("no dimension or choice '{}'{}", name, suggestion(name, known)));
}

// with_snippet() has already put the snippet, if there is one, into the operation.
std::string ProblemBuilder::snippet(const Hook& hook, const std::string& value) const {
  const std::string label = hook.snippet ? hook.snippet->label() : kNoSnippet;
  if (value != label && !(hook.snippet && value == hook.snippet->name))
    fail(fmt::format("{}={}: the snippet at hand is {}", hook.name, value, label));
  return label;
}

// REQUIRES that all choices and the dimensions before this one have their values.
std::int64_t ProblemBuilder::default_of(const Dimension& dimension, const Device& device) const {
  if (!dimension.computed_default)
    return runs_on_cpu(device.kind) ? dimension.host_default : dimension.default_value;
  const std::int64_t value =
      evaluate(*dimension.computed_default, scope_over({&problem_.values}),
               fmt::format("{}: default of '{}'", operation_.name, dimension.name));
  return number(dimension, std::to_string(value));
}

std::int64_t ProblemBuilder::number(const Dimension& dimension, const std::string& value) const {
  std::int64_t result = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, result);
  const bool whole = error != std::errc::invalid_argument && stop == end;
  if (!whole) fail(fmt::format("{}={} is not a whole number", dimension.name, value));
  const bool fits = error == std::errc{};
  if (!fits || result < dimension.minimum || result > dimension.maximum)
    fail_range(dimension, value, dimension.minimum);
  return result;
}

void ProblemBuilder::fail_range(const Dimension& dimension, const std::string& value,
                                std::int64_t minimum) const {
  fail(fmt::format("{}={} is outside {} to {}", dimension.name, value, minimum, dimension.maximum));
}

void ProblemBuilder::check_minimums() const {
  for (const Dimension& dimension : operation_.dimensions) {
    if (!dimension.computed_minimum) continue;
    const std::int64_t minimum =
        evaluate(*dimension.computed_minimum, scope_over({&problem_.values}),
                 fmt::format("{}: minimum of '{}'", operation_.name, dimension.name));
    const std::string value = to_text(problem_.values.at(dimension.name));
    if (std::get<std::int64_t>(problem_.values.at(dimension.name)) < minimum)
      fail_range(dimension, value, minimum);
  }
}

std::string ProblemBuilder::label(const Choice& choice, const std::string& value) const {
  if (std::find(choice.labels.begin(), choice.labels.end(), value) == choice.labels.end())
    fail(fmt::format("{}={} is none of {}", choice.name, value, fmt::join(choice.labels, ", ")));
  return value;
}

void ProblemBuilder::check_counts(const Device& device) const {
  const Configuration none;
  const Scope scope = full_scope(problem_, none, device);
  for (const Argument& argument : operation_.arguments) {
    if (argument.kind == ArgumentKind::scalar) continue;
    const bool is_array = argument.kind == ArgumentKind::array;
    const std::int64_t most = is_array ? argument.capacity : kMostElements;
    const std::int64_t count =
        evaluate(argument.count, scope,
                 fmt::format("{}: count of argument '{}'", operation_.name, argument.name));
    if (count < 0 || count > most)
      fail(fmt::format("{} '{}' would have {} elements for {}; it has 0 to {}",
                       is_array ? "array" : "buffer", argument.name, count,
                       to_text(problem_.values), most));
  }
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

Problem make_problem(const Operation& operation, const std::vector<std::string>& assignments,
                     const Device& device) {
  ProblemBuilder builder(operation);
  for (const std::string& assignment : assignments) {
    const std::vector<std::string> parts = split(assignment);
    const bool complete = std::none_of(parts.begin(), parts.end(),
                                       [](const std::string& part) { return part.empty(); });
    if (parts.size() < 2 || !complete)
      builder.fail(fmt::format("'{}' is not NAME=VALUE or NAME=NAME=VALUE", assignment));
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) builder.set(parts[i], parts.back());
  }
  return builder.finish(device);
}

Problem make_problem(const Operation& operation, const Settings& values, const Device& device) {
  ProblemBuilder builder(operation);
  for (const auto& [name, value] : values) builder.set(name, to_text(value));
  return builder.finish(device);
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

std::int64_t evaluate(const Expression& expression, const Scope& scope, const std::string& what) {
  try {
    return expression.evaluate(scope);
  } catch (const ExpressionError& error) {
    throw InputError(fmt::format("{}: {} (character {} of '{}')", what, error.what(),
                                 error.position() + 1, expression.text()));
  }
}

std::int64_t operand_bytes(const Operation& operation, const Problem& problem) {
  const Scope scope = scope_over({&problem.values});
  std::int64_t bytes = 0;
  for (const Argument& argument : operation.arguments) {
    if (argument.kind != ArgumentKind::buffer) continue;
    const std::int64_t count =
        evaluate(argument.count, scope, fmt::format("count of argument '{}'", argument.name));
    bytes += count * static_cast<std::int64_t>(size_of(argument.type));
  }
  return bytes;
}

}  // namespace tilewright
