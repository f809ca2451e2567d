#include "tuner/backend/launch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tuner/backend/entry_key.hpp"

namespace tilewright {
namespace {

// An expression that is only a choice gives its label's index; every other one gives a number.
std::int64_t number_of(const Expression& expression, const Operation& operation, const Scope& scope,
                       const std::string& what) {
  const ExpressionNode& root = expression.root();
  const ExpressionNode& named = root.op == Operator::otherwise ? root.children[0] : root;
  const auto choice = std::ranges::find(operation.choices, named.text, &Choice::name);
  if (named.op != Operator::name || choice == operation.choices.end())
    return evaluate(expression, scope, what);
  const std::optional<Value> value = scope(named.text);
  const std::string label = value ? to_text(*value) : choice->absent;
  const auto found = std::ranges::find(choice->labels, label);
  if (found == choice->labels.end())
    throw InputError(fmt::format("{}: {} has no value '{}'", what, named.text, label));
  return found - choice->labels.begin();
}

// The real number that takes the place of `value`. Throws InputError that names `what`.
double real_number(const RealValue& real, const Expression& value, const Operation& operation,
                   const Scope& scope, const std::string& what) {
  const double number =
      real.number ? *real.number : static_cast<double>(number_of(value, operation, scope, what));
  if (!real.divisor) return number;
  const std::int64_t divisor = evaluate(*real.divisor, scope, "the divisor of " + what);
  if (divisor == 0) throw InputError(fmt::format("the divisor of {} is 0", what));
  return number / static_cast<double>(divisor);
}

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
  if (const auto error = fill_error(fill, type))
    throw InputError(fmt::format("fill of {}: {}", what, *error));
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
    throw InputError(
        fmt::format("fill of argument '{}': {} cannot hold {} different numbers from "
                    "{} on",
                    buffer.name, to_text(buffer.type), buffer.count, fill.low));
  if (fill.kind == Fill::Kind::offsets && buffer.count == 1 && fill.low != fill.high)
    throw InputError(fmt::format("fill of argument '{}': one element cannot be both {} and {}",
                                 buffer.name, fill.low, fill.high));
  if (fill.border > 0 && std::fmod(count, fill.rows * fill.columns) != 0)
    throw InputError(fmt::format("fill of argument '{}': {} elements are no images of {} × {}",
                                 buffer.name, buffer.count, fill.rows, fill.columns));
}

std::optional<int> index_of(const Operation& operation, const std::string& argument) {
  for (std::size_t i = 0; i < operation.arguments.size(); ++i)
    if (operation.arguments[i].name == argument) return static_cast<int>(i);
  return std::nullopt;
}

// Throws InputError unless what the argument uses of the workspace is there.
void check_workspace_use(const PlannedArgument& argument, const std::string& entry,
                         std::int64_t workspace_bytes) {
  if (argument.offset > workspace_bytes)
    throw InputError(fmt::format("launch '{}' begins {} bytes into a workspace of {}", entry,
                                 argument.offset, workspace_bytes));
  if (argument.kind == PlannedArgument::Kind::workspace_map &&
      !lies_within(argument, workspace_bytes))
    throw InputError(
        fmt::format("launch '{}' maps elements beyond the end of its workspace, which has {} bytes",
                    entry, workspace_bytes));
}

// Works out one launch.
class LaunchPlanner {
 public:
  LaunchPlanner(const Operation& operation, const Launch& launch, const Scope& scope)
      : operation_(operation), launch_(launch), scope_(scope) {}

  bool active() const { return evaluate(launch_.when, scope_, what("when")) != 0; }

  PlannedLaunch plan() const {
    PlannedLaunch planned;
    planned.entry = entry_of(launch_.entry, operation_, scope_);
    planned.grid = extent(launch_.grid, "grid");
    planned.block = extent(launch_.block, "block");
    planned.cluster = extent(launch_.cluster, "cluster");
    planned.shared_bytes = not_negative(launch_.shared_bytes, "shared_bytes");
    planned.dependent_launch =
        evaluate(launch_.dependent_launch, scope_, what("dependent_launch")) != 0 &&
        has_dependent_launches();
    for (std::size_t i = 0; i < launch_.arguments.size(); ++i)
      if (evaluate(launch_.arguments[i].when, scope_, what(key_of(i) + "'s when")) != 0 &&
          is_of_call(launch_.arguments[i]))
        add(launch_.arguments[i], key_of(i), planned.arguments);
    return planned;
  }

 private:
  // Elsewhere configurations that differ only in this are duplicates.
  bool has_dependent_launches() const {
    const std::optional<Value> capability = scope_("device.compute_capability");
    return capability && *capability >= Value(std::int64_t{kFirstCapabilityWithDependentLaunch});
  }

  std::string what(const std::string& key) const {
    return fmt::format("{} of launch '{}'", key, launch_.entry);
  }

  std::array<std::int64_t, 3> extent(const std::array<Expression, 3>& expressions,
                                     const std::string& key) const {
    std::array<std::int64_t, 3> numbers = {1, 1, 1};
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers.at(i) = evaluate(expressions.at(i), scope_, what(fmt::format("{}[{}]", key, i)));
    return numbers;
  }

  std::int64_t not_negative(const Expression& expression, const std::string& key) const {
    const std::int64_t number = evaluate(expression, scope_, what(key));
    if (number < 0)
      throw InputError(fmt::format("{} is {}; it must be at least 0", what(key), number));
    return number;
  }

  static std::string key_of(std::size_t argument) {
    return fmt::format("argument {}", argument + 1);
  }

  void add(const LaunchArgument& source, const std::string& key,
           std::vector<PlannedArgument>& arguments) const {
    if (const Hook* hook = hook_named(source))
      add_snippet(*hook, arguments);
    else
      arguments.push_back(argument(source, key));
  }

  // Whether it does not stand for an argument that this call lacks.
  bool is_of_call(const LaunchArgument& source) const {
    const auto argument = std::ranges::find(operation_.arguments, source.name, &Argument::name);
    return argument == operation_.arguments.end() || is_present(*argument, scope_);
  }

  const Hook* hook_named(const LaunchArgument& source) const {
    if (source.kind != LaunchArgument::Kind::argument) return nullptr;
    const auto hook = std::ranges::find(operation_.hooks, source.name, &Hook::name);
    return hook == operation_.hooks.end() ? nullptr : &*hook;
  }

  void add_snippet(const Hook& hook, std::vector<PlannedArgument>& arguments) const {
    if (!hook.snippet) return;
    for (const Argument& own : hook.snippet->arguments) {
      PlannedArgument planned;
      planned.kind = PlannedArgument::Kind::argument;
      planned.index = index_of(operation_, hook_argument(hook, own)).value();
      arguments.push_back(std::move(planned));
    }
  }

  PlannedArgument argument(const LaunchArgument& source, const std::string& key) const {
    using Kind = LaunchArgument::Kind;
    PlannedArgument planned;
    if (source.kind == Kind::workspace) {
      planned.kind = PlannedArgument::Kind::workspace;
      planned.offset = not_negative(source.value, key);
      return planned;
    }
    if (source.kind == Kind::by_value) return by_value(source, key);
    if (source.kind == Kind::tensor_map) return tensor_map(source, key);
    if (source.kind == Kind::workspace_map) return workspace_map(source, key);
    if (source.kind == Kind::argument) {
      if (const std::optional<int> index = index_of(operation_, source.name)) {
        planned.kind = PlannedArgument::Kind::argument;
        planned.index = *index;
        return planned;
      }
    }
    const Expression value =
        source.kind == Kind::argument ? Expression::parse(source.name) : source.value;
    const ElementType type = source.kind == Kind::argument ? ElementType::int32 : source.type;
    if (source.real.is_used()) {
      planned.bytes = real_bytes(real_number(source.real, value, operation_, scope_, what(key)),
                                 type, what(key));
      return planned;
    }
    const std::int64_t number = number_of(value, operation_, scope_, what(key));
    planned.bytes = scalar_bytes(number, type, fmt::format("{}, {}", what(key), value.text()));
    return planned;
  }

  PlannedArgument by_value(const LaunchArgument& source, const std::string& key) const {
    PlannedArgument planned;
    planned.kind = PlannedArgument::Kind::by_value;
    planned.index = index_of(operation_, source.name).value();
    const Argument& argument = operation_.arguments[static_cast<std::size_t>(planned.index)];
    const std::int64_t capacity = not_negative(source.value, key);
    const std::int64_t count =
        evaluate(argument.count, scope_, fmt::format("count of argument '{}'", argument.name));
    if (count > capacity)
      throw InputError(fmt::format("{} has room for {} elements of '{}', which has {}", what(key),
                                   capacity, argument.name, count));
    const auto size = static_cast<std::int64_t>(size_of(type_of(argument, scope_)));
    if (capacity > kMostParameterBytes / size)
      throw InputError(
          fmt::format("{} passes {} elements of '{}' by value; a kernel takes at most {} bytes",
                      what(key), capacity, argument.name, kMostParameterBytes));
    planned.size = capacity * size;
    return planned;
  }

  std::vector<std::int64_t> numbers(const std::vector<Expression>& expressions,
                                    const std::string& key) const {
    std::vector<std::int64_t> values;
    for (const Expression& expression : expressions)
      values.push_back(evaluate(expression, scope_, what(key)));
    return values;
  }

  PlannedTensorMap map_of(const TensorMap& source, ElementType type, const std::string& key) const {
    PlannedTensorMap map;
    map.type = type;
    map.dims = numbers(source.dims, key + "'s dims");
    map.strides = numbers(source.strides, key + "'s strides");
    map.box = numbers(source.box, key + "'s box");
    map.swizzle = evaluate(source.swizzle, scope_, what(key + "'s swizzle"));
    map.promote = evaluate(source.promote, scope_, what(key + "'s promote"));
    return map;
  }

  // plan_launches() checks that it lies within the workspace.
  PlannedArgument workspace_map(const LaunchArgument& source, const std::string& key) const {
    PlannedArgument planned;
    planned.kind = PlannedArgument::Kind::workspace_map;
    planned.offset = not_negative(source.value, key + "'s offset");
    // Reading the manifest has checked that every value is a type's name.
    const auto type = type_named(to_text(source.map.type.value(scope_)));
    planned.map = map_of(source.map, type.value(), key);
    return planned;
  }

  PlannedArgument tensor_map(const LaunchArgument& source, const std::string& key) const {
    PlannedArgument planned;
    planned.kind = PlannedArgument::Kind::tensor_map;
    planned.index = index_of(operation_, source.name).value();
    const Argument& argument = operation_.arguments[static_cast<std::size_t>(planned.index)];
    planned.map = map_of(source.map, type_of(argument, scope_), key);
    const std::int64_t count =
        evaluate(argument.count, scope_, fmt::format("count of argument '{}'", argument.name));
    if (!lies_within(planned.map, count))
      throw InputError(
          fmt::format("{} maps elements beyond the {} of '{}'", what(key), count, argument.name));
    return planned;
  }

  const Operation& operation_;
  const Launch& launch_;
  const Scope& scope_;
};

}  // namespace

LaunchPlan plan_launches(const Operation& operation, const std::vector<Launch>& launches,
                         const Workspace& workspace, const Scope& scope) {
  LaunchPlan plan;
  for (const Launch& launch : launches) {
    const LaunchPlanner planner(operation, launch, scope);
    if (planner.active()) plan.launches.push_back(planner.plan());
  }
  plan.workspace_bytes = evaluate(workspace.bytes, scope, "bytes of the workspace");
  if (plan.workspace_bytes < 0)
    throw InputError(
        fmt::format("bytes of the workspace is {}; it must be at least 0", plan.workspace_bytes));
  plan.workspace_zero = workspace.zero;
  for (const PlannedLaunch& launch : plan.launches)
    for (const PlannedArgument& argument : launch.arguments)
      check_workspace_use(argument, launch.entry, plan.workspace_bytes);
  return plan;
}

std::optional<std::string> constant_error(const PlannedConstant& constant,
                                          std::optional<std::int64_t> variable_bytes) {
  const std::string name = constant_name(constant.key);
  if (!variable_bytes) return fmt::format("the code has no variable {} to fill", name);
  if (*variable_bytes >= constant.bytes) return std::nullopt;
  return fmt::format("the variable {} has {} bytes, and the argument that fills it has {}", name,
                     *variable_bytes, constant.bytes);
}

std::vector<PlannedConstant> plan_constants(const Operation& operation,
                                            const std::vector<ConstantSymbol>& constants,
                                            const Scope& scope) {
  std::vector<PlannedConstant> planned;
  for (const ConstantSymbol& constant : constants) {
    const int index = index_of(operation, constant.from).value();
    const Argument& argument = operation.arguments[static_cast<std::size_t>(index)];
    const bool is_used =
        evaluate(constant.when, scope, fmt::format("when of constant '{}'", constant.symbol)) != 0;
    if (!is_used || !is_present(argument, scope)) continue;
    const std::int64_t count =
        evaluate(argument.count, scope, fmt::format("count of argument '{}'", argument.name));
    const auto size = static_cast<std::int64_t>(size_of(type_of(argument, scope)));
    if (count < 0 || count > std::numeric_limits<std::int32_t>::max())
      throw InputError(fmt::format("argument '{}' has {} elements", argument.name, count));
    planned.push_back({constant_key(constant.symbol, constant.unit), index, count * size});
  }
  return planned;
}

LaunchPlan plan_launches(const Operation& operation, const Implementation& implementation,
                         const Scope& scope) {
  LaunchPlan plan =
      plan_launches(operation, implementation.launches, implementation.workspace, scope);
  std::vector<ConstantSymbol> constants = implementation.constants;
  std::erase_if(constants, [&](const ConstantSymbol& constant) {  // a unit may not be compiled
    return std::ranges::none_of(implementation.launches, [&](const Launch& launch) {
      return launch.unit == constant.unit && LaunchPlanner(operation, launch, scope).active();
    });
  });
  plan.constants = plan_constants(operation, constants, scope);
  return plan;
}

LaunchPlan plan_launches(const Operation& operation, const Reference& reference,
                         const Scope& scope) {
  LaunchPlan plan = plan_launches(operation, reference.launches, Workspace{}, scope);
  plan.constants = plan_constants(operation, reference.constants, scope);
  return plan;
}

PlannedComparison plan_comparison(const Comparison& comparison, const Scope& scope) {
  PlannedComparison planned;
  planned.reduced = comparison.reduced;
  planned.reduction = evaluate(comparison.reduction, scope, "the comparison's reduction");
  planned.scale = comparison.scale;
  const std::int64_t bits = evaluate(comparison.inputs, scope, "the comparison's inputs");
  if (bits < 0 || bits > 52)
    throw InputError(fmt::format("the comparison's inputs is {}; it must be 0 to 52 bits", bits));
  planned.cut = bits == 0 ? 0 : std::ldexp(1, static_cast<int>(-bits));
  planned.tolerance = comparison.tolerance;
  planned.mismatches = comparison.mismatches;
  if (comparison.sums) planned.sums = facts_of(type_of(*comparison.sums, scope)).epsilon;
  return planned;
}

std::vector<PlannedBuffer> plan_buffers(const Operation& operation, const Scope& scope) {
  std::vector<PlannedBuffer> buffers;
  for (const Argument& argument : operation.arguments) {
    const ElementType type = type_of(argument, scope);
    PlannedBuffer buffer;
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
      buffers.push_back(std::move(buffer));
      continue;
    }
    if (buffer.role == ArgumentRole::inout &&
        evaluate(argument.read_when, scope, "read_when of " + what) == 0)
      buffer.role = ArgumentRole::output;
    if (argument.kind != ArgumentKind::scalar) {
      buffer.count = evaluate(argument.count, scope, "count of " + what);
      if (buffer.count < 0)
        throw InputError(
            fmt::format("count of {} is {}; it must be at least 0", what, buffer.count));
    }
    if (argument.kind == ArgumentKind::array && buffer.count > buffer.capacity)
      throw InputError(fmt::format("count of {} is {}, more than its capacity of {}", what,
                                   buffer.count, buffer.capacity));
    if (buffer.role != ArgumentRole::output && !argument.value) {
      buffer.fill = fill_of(argument, type, scope, what);
      check_count(buffer);
    }
    if (argument.value) {
      set_value(buffer, argument, operation, scope);
    }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

}  // namespace tilewright
