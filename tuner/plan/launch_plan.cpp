#include "tuner/plan/launch_plan.hpp"

#include <fmt/format.h>

#include <cmath>

#include "definition/problem.hpp"
#include "definition/text/errors.hpp"
#include "tuner/plan/plan_parts.hpp"

namespace tilewright {
namespace {

// Throws InputError that names `what`.
Fill fill_of(const Argument& argument, ElementType type, const Scope& scope,
             const std::string& what) {
  const bool is_for_integers = argument.integer_fill && is_integer(type);
  if (argument.computed_type && !argument.has_own_fill && !is_for_integers)
    return default_fill(type);
  Fill fill = is_for_integers ? *argument.integer_fill : argument.fill;
  for (const FillNumber& one : kFillNumbers)
    if (const auto& number = argument.computed_fill.*one.computed; number && !is_for_integers)
      fill.*one.number = static_cast<double>(
          evaluate(*number, scope, fmt::format("{} in the fill of {}", one.key, what)));
  if (const auto error = fill_error(fill, type)) throw bad_input("fill of {}: {}", what, *error);
  for (double* const number : {&fill.low, &fill.high, &fill.mean, &fill.deviation})
    *number /= fill.divisor;
  fill.divisor = 1;
  return fill;
}

void set_value(PlannedBuffer& buffer, const Argument& argument, const Operation& operation,
               const Scope& scope) {
  const std::string what = fmt::format("value of argument '{}'", argument.name);
  buffer.has_value = true;
  buffer.is_real = argument.real.is_used();
  // Both calls check the range.
  if (buffer.is_real) {
    buffer.real = real_number(argument.real, *argument.value, operation, scope, what);
    real_bytes(buffer.real, buffer.type, what);
  } else {
    buffer.value = number_of(*argument.value, operation, scope, what);
    scalar_bytes(buffer.value, buffer.type, what);
  }
}

// Throws InputError if so many elements cannot be filled so.
void check_count(const PlannedBuffer& buffer) {
  const Fill& fill = buffer.fill;
  const double greatest = facts_of(buffer.type).greatest;
  const auto count = static_cast<double>(buffer.count);
  if (fill.kind == Fill::Kind::permutation && fill.low + count - 1 > greatest)
    throw bad_input("fill of argument '{}': {} cannot hold {} different numbers from {} on",
                    buffer.name, to_text(buffer.type), buffer.count, fill.low);
  if (fill.kind == Fill::Kind::offsets && buffer.count == 1 && fill.low != fill.high)
    throw bad_input("fill of argument '{}': one element cannot be both {} and {}", buffer.name,
                    fill.low, fill.high);
  if (fill.border > 0 && std::fmod(count, fill.rows * fill.columns) != 0)
    throw bad_input("fill of argument '{}': {} elements are no images of {} × {}", buffer.name,
                    buffer.count, fill.rows, fill.columns);
}

}  // namespace

PlannedComparison plan_comparison(const Comparison& comparison, const Scope& scope) {
  PlannedComparison planned;
  planned.reduced = comparison.reduced;
  planned.reduction = evaluate(comparison.reduction, scope, "the comparison's reduction");
  if (planned.reduction < 0)
    throw bad_input("the comparison's reduction is {}; it must be 0 or more", planned.reduction);
  planned.scale = comparison.scale;
  const std::int64_t bits = evaluate(comparison.inputs, scope, "the comparison's inputs");
  if (bits < 0 || bits > 52)
    throw bad_input("the comparison's inputs is {}; it must be 0 to 52 bits", bits);
  planned.cut = bits == 0 ? 0 : std::ldexp(1, static_cast<int>(-bits));
  planned.tolerance = comparison.tolerance;
  planned.mismatches = comparison.mismatches;
  planned.absolute = comparison.absolute.value_or(-1);
  planned.relative = comparison.relative.value_or(-1);
  planned.ignored = comparison.ignored;
  if (comparison.sums) planned.sums = facts_of(type_of(*comparison.sums, scope)).epsilon;
  return planned;
}

std::vector<PlannedBuffer> plan_buffers(const Operation& operation, const Scope& scope) {
  std::vector<PlannedBuffer> buffers;
  for (const Argument& argument : operation.arguments) {
    const ElementType type = type_of(argument, scope);
    PlannedBuffer& buffer = buffers.emplace_back();
    buffer.name = argument.name;
    buffer.kind = argument.kind;
    buffer.type = type;
    buffer.role = argument.role;
    buffer.count = 1;
    buffer.capacity = argument.capacity;
    const std::string what = fmt::format("argument '{}'", argument.name);
    if (!is_present(argument, scope)) {
      buffer.kind = ArgumentKind::scalar;
      buffer.role = ArgumentRole::input;
      buffer.has_value = true;
      continue;
    }
    if (buffer.role == ArgumentRole::inout &&
        evaluate(argument.read_when, scope, "read_when of " + what) == 0)
      buffer.role = ArgumentRole::output;
    if (argument.kind != ArgumentKind::scalar) {
      buffer.count = count_of(argument, scope);
      if (buffer.count < 0)
        throw bad_input("count of {} is {}; it must be at least 0", what, buffer.count);
    }
    if (argument.kind == ArgumentKind::array && buffer.count > buffer.capacity)
      throw bad_input("count of {} is {}, more than its capacity of {}", what, buffer.count,
                      buffer.capacity);
    if (buffer.role != ArgumentRole::output && !argument.value) {
      buffer.fill = fill_of(argument, type, scope, what);
      check_count(buffer);
    }
    if (argument.value) set_value(buffer, argument, operation, scope);
  }
  return buffers;
}

}  // namespace tilewright
