#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "definition/problem.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/plan_parts.hpp"
#include "tuner/plan/ready_plan.hpp"

namespace tilewright {

std::int64_t number_of(const Expression& expression, const Operation& operation, const Scope& scope,
                       const std::string& what) {
  const ExpressionNode& root = expression.root();
  const ExpressionNode& named = root.op == Operator::otherwise ? root.children[0] : root;
  const Choice* const choice = find_named(operation.choices, named.text);
  if (named.op != Operator::name || choice == nullptr) return evaluate(expression, scope, what);
  const std::optional<Value> value = scope(named.text);
  const std::string label = value ? to_text(*value) : choice->absent;
  const auto found = std::ranges::find(choice->labels, label);
  if (found == choice->labels.end())
    throw bad_input("{}: {} has no value '{}'", what, named.text, label);
  return found - choice->labels.begin();
}

double real_number(const RealValue& real, const Expression& value, const Operation& operation,
                   const Scope& scope, const std::string& what) {
  double number = 0;
  if (real.computed) {
    const auto none = [](std::string_view) { return std::optional<double>(); };
    const std::optional<double> computed = real_value(*real.computed, scope, none);
    if (!computed) throw bad_input("{}: '{}' has no finite value", what, real.computed->text());
    number = *computed;
  } else {
    number =
        real.number ? *real.number : static_cast<double>(number_of(value, operation, scope, what));
  }
  if (!real.divisor) return number;
  const std::int64_t divisor = evaluate(*real.divisor, scope, "the divisor of " + what);
  if (divisor == 0) throw bad_input("the divisor of {} is 0", what);
  return number / static_cast<double>(divisor);
}

std::optional<int> index_of(const Operation& operation, const std::string& argument) {
  const Argument* const found = find_named(operation.arguments, argument);
  if (found == nullptr) return std::nullopt;
  return static_cast<int>(found - operation.arguments.data());
}

namespace {

// Works out one launch.
class LaunchPlanner {
 public:
  LaunchPlanner(const Operation& operation, const Launch& launch, const Scope& scope)
      : operation_(operation), launch_(launch), scope_(scope) {}

  bool active() const { return evaluate(launch_.when, scope_, what("when")) != 0; }

  PlannedLaunch plan(std::vector<PlannedTexture>& textures) const {
    PlannedLaunch planned;
    planned.entry = entry_key(entry_of(launch_.entry, operation_, scope_), launch_.unit);
    planned.grid = extent(launch_.grid, "grid", &planned.grid_texts);
    planned.block = extent(launch_.block, "block");
    planned.cluster = extent(launch_.cluster, "cluster");
    for_each_listed<Launch>([&](const auto& field) {
      for_each_listed<PlannedLaunch>([&](const auto& own) {
        if (std::string_view(field.name) == own.name)
          plan_number(launch_.*field.member, field.name, planned.*own.member);
      });
    });
    planned.prepares = !launch_.prepares.empty();
    planned.dependent_launch = planned.dependent_launch && has_dependent_launches();
    for (std::size_t i = 0; i < launch_.arguments.size(); ++i)
      if (evaluate(launch_.arguments[i].when, scope_, what(key_of(i) + "'s when")) != 0 &&
          is_of_call(launch_.arguments[i]))
        add(launch_.arguments[i], key_of(i), planned.arguments, textures);
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

  // An expression over `resident` goes to `texts`, if there are any, and counts as 1 until then.
  std::array<std::int64_t, 3> extent(const std::array<Expression, 3>& expressions,
                                     const std::string& key,
                                     std::array<std::string, 3>* texts = nullptr) const {
    std::array<std::int64_t, 3> numbers = {1, 1, 1};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Expression& expression = expressions.at(i);
      if (texts != nullptr && uses(expression, kResident))
        texts->at(i) = open_extent(expression, key, i);
      else
        numbers.at(i) = evaluate(expression, scope_, what(fmt::format("{}[{}]", key, i)));
    }
    return numbers;
  }

  std::string open_extent(const Expression& expression, const std::string& key,
                          std::size_t axis) const {
    try {
      return with_resident_alone(expression, scope_);
    } catch (const ExpressionError& error) {
      throw bad_input("{}: {}", what(fmt::format("{}[{}]", key, axis)), error.what());
    }
  }

  std::int64_t not_negative(const Expression& expression, const std::string& key) const {
    const std::int64_t number = evaluate(expression, scope_, what(key));
    if (number < 0) throw bad_input("{} is {}; it must be at least 0", what(key), number);
    return number;
  }

  // Attributes are truths or numbers.
  template <class Written, class Planned>
  void plan_number(const Written& written, const std::string& key, Planned& planned) const {
    if constexpr (std::same_as<Written, Expression> && std::same_as<Planned, bool>) {
      planned = evaluate(written, scope_, what(key)) != 0;
    } else if constexpr (std::same_as<Written, Expression> && std::same_as<Planned, std::int64_t>) {
      planned = not_negative(written, key);
    } else if constexpr (std::same_as<Written, Expression>) {
      throw std::logic_error("the attribute " + key + " is planned as neither bool nor int64");
    }
  }

  static std::string key_of(std::size_t argument) {
    return fmt::format("argument {}", argument + 1);
  }

  void add(const LaunchArgument& source, const std::string& key,
           std::vector<PlannedArgument>& arguments, std::vector<PlannedTexture>& textures) const {
    if (const Hook* hook = hook_named(source))
      add_snippet(*hook, arguments);
    else if (source.kind == LaunchArgument::Kind::texture)
      arguments.push_back(texture(source, key, textures));
    else
      arguments.push_back(argument(source, key));
  }

  // Whether it does not stand for an argument that this call lacks.
  bool is_of_call(const LaunchArgument& source) const {
    const Argument* const argument = find_named(operation_.arguments, source.name);
    return argument == nullptr || is_present(*argument, scope_);
  }

  std::pair<int, const Argument&> argument_named(const std::string& name) const {
    const int index = index_of(operation_, name).value();
    return {index, operation_.arguments[static_cast<std::size_t>(index)]};
  }

  const Hook* hook_named(const LaunchArgument& source) const {
    const bool may_be = source.kind == LaunchArgument::Kind::argument;
    return may_be ? find_named(operation_.hooks, source.name) : nullptr;
  }

  void add_snippet(const Hook& hook, std::vector<PlannedArgument>& arguments) const {
    if (!hook.snippet) return;
    for (const Argument& own : hook.snippet->arguments)
      arguments.push_back(of_argument(index_of(operation_, hook_argument(hook, own)).value()));
  }

  PlannedArgument argument(const LaunchArgument& source, const std::string& key) const {
    using Kind = LaunchArgument::Kind;
    if (source.kind == Kind::workspace)
      return {.kind = PlannedArgument::Kind::workspace,
              .offset = not_negative(source.value, key),
              .prepared = source.prepared};
    if (source.kind == Kind::trip) return {.kind = PlannedArgument::Kind::trip};
    if (source.kind == Kind::by_value) return by_value(source, key);
    if (source.kind == Kind::tensor_map) return tensor_map(source, key);
    if (source.kind == Kind::workspace_map) return workspace_map(source, key);
    if (source.kind == Kind::argument)
      if (const auto index = index_of(operation_, source.name)) return of_argument(*index);
    const Expression value =
        source.kind == Kind::argument ? Expression::parse(source.name) : source.value;
    const ElementType type = source.kind == Kind::argument ? ElementType::int32 : source.type;
    if (source.real.is_used())
      return {.bytes = real_bytes(real_number(source.real, value, operation_, scope_, what(key)),
                                  type, what(key))};
    const std::int64_t number = number_of(value, operation_, scope_, what(key));
    return {.bytes = scalar_bytes(number, type, fmt::format("{}, {}", what(key), value.text()))};
  }

  PlannedArgument by_value(const LaunchArgument& source, const std::string& key) const {
    const auto [index, argument] = argument_named(source.name);
    const std::int64_t capacity = not_negative(source.value, key);
    const std::int64_t count = count_of(argument, scope_) / argument.lanes;
    if (count > capacity)
      throw bad_input("{} has room for {} elements of '{}', which has {}", what(key), capacity,
                      argument.name, count);
    const auto size =
        argument.lanes * static_cast<std::int64_t>(size_of(type_of(argument, scope_)));
    if (capacity > kMostParameterBytes / size)
      throw bad_input("{} passes {} elements of '{}' by value; a kernel takes at most {} bytes",
                      what(key), capacity, argument.name, kMostParameterBytes);
    return {.kind = PlannedArgument::Kind::by_value, .index = index, .size = capacity * size};
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
    map.lower_corner = numbers(source.lower_corner, key + "'s lower_corner");
    map.upper_corner = numbers(source.upper_corner, key + "'s upper_corner");
    map.element_strides = numbers(source.element_strides, key + "'s element_strides");
    if (std::ranges::all_of(map.element_strides, [](std::int64_t stride) { return stride == 1; }))
      map.element_strides.assign(map.lower_corner.size(), 1);
    map.nan_fill = evaluate(source.nan_fill, scope_, what(key + "'s nan_fill")) != 0;
    return map;
  }

  // plan_launches() checks that it lies within the workspace.
  PlannedArgument workspace_map(const LaunchArgument& source, const std::string& key) const {
    const std::int64_t offset = not_negative(source.value, key + "'s offset");
    // Reading the manifest has checked that every value is a type's name.
    const auto type = type_named(to_text(source.map.type.value(scope_)));
    return {.kind = PlannedArgument::Kind::workspace_map,
            .offset = offset,
            .map = map_of(source.map, type.value(), key),
            .prepared = source.prepared};
  }

  PlannedArgument tensor_map(const LaunchArgument& source, const std::string& key) const {
    const auto [index, argument] = argument_named(source.name);
    const PlannedTensorMap map = map_of(source.map, type_of(argument, scope_), key);
    const std::int64_t count = count_of(argument, scope_);
    if (!lies_within(map.dims, map.strides, count))
      throw bad_input("{} maps elements beyond the {} of '{}'", what(key), count, argument.name);
    return {.kind = PlannedArgument::Kind::tensor_map, .index = index, .map = map};
  }

  // One that the call has already is used again.
  PlannedArgument texture(const LaunchArgument& source, const std::string& key,
                          std::vector<PlannedTexture>& textures) const {
    const PlannedTexture wanted = planned_texture(source, key);
    const auto found = std::ranges::find(textures, wanted);
    const auto number = static_cast<int>(found - textures.begin());
    if (found == textures.end()) {
      if (textures.size() == kMostTextures)
        throw bad_input("a call has more than {} textures", kMostTextures);
      textures.push_back(wanted);
    }
    return {.kind = PlannedArgument::Kind::texture, .index = number};
  }

  PlannedTexture planned_texture(const LaunchArgument& source, const std::string& key) const {
    PlannedTexture texture;
    const auto [index, argument] = argument_named(source.name);
    texture.index = index;
    texture.type = type_of(argument, scope_);
    texture.lanes = argument.lanes;
    texture.dims = numbers(source.texture.dims, key + "'s dims");
    texture.strides = source.texture.strides.empty()
                          ? without_gaps(texture.dims)
                          : numbers(source.texture.strides, key + "'s strides");
    try {
      texture.modes = modes_of(source.texture, scope_);
    } catch (const ExpressionError& error) {
      throw bad_input("{}: {}", what(key + "'s modes"), error.what());
    }
    const std::int64_t count = count_of(argument, scope_);
    if (!lies_within(texture, count))
      throw bad_input("{} reads elements beyond the {} of '{}'", what(key), count / argument.lanes,
                      argument.name);
    return texture;
  }

  // The product of the dims before each; texture_error() refuses those that are too large.
  static std::vector<std::int64_t> without_gaps(const std::vector<std::int64_t>& dims) {
    std::vector<std::int64_t> strides;
    std::int64_t stride = 1;
    for (std::size_t i = 0; i + 1 < dims.size(); ++i) {
      if (__builtin_mul_overflow(stride, dims[i], &stride)) stride = 0;
      strides.push_back(stride);
    }
    return strides;
  }

  const Operation& operation_;
  const Launch& launch_;
  const Scope& scope_;
};

}  // namespace

bool is_active(const Operation& operation, const Launch& launch, const Scope& scope) {
  return LaunchPlanner(operation, launch, scope).active();
}

PlannedLaunch plan_launch(const Operation& operation, const Launch& launch, const Scope& scope,
                          std::vector<PlannedTexture>& textures) {
  return LaunchPlanner(operation, launch, scope).plan(textures);
}

}  // namespace tilewright
