#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "definition/problem.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/plan_parts.hpp"
#include "tuner/plan/ready_plan.hpp"

namespace tilewright {
namespace {

// Throws InputError unless what the argument uses of the workspace, or of the prepared input, is
// there.
void check_workspace_use(const PlannedArgument& argument, const std::string& entry,
                         const LaunchPlan& plan) {
  const std::int64_t bytes = plan.bytes_for(argument);
  const char* const memory = argument.prepared ? "prepared input" : "workspace";
  if (argument.offset > bytes)
    throw bad_input("launch '{}' begins {} bytes into a {} of {}", entry, argument.offset, memory,
                    bytes);
  if (argument.kind == PlannedArgument::Kind::workspace_map && !lies_within(argument, bytes))
    throw bad_input("launch '{}' maps elements beyond the end of its {}, which has {} bytes", entry,
                    memory, bytes);
}

constexpr std::int64_t kMostMemoryBytes = std::int64_t{1} << 60;  // so that sums are small enough

std::int64_t bytes_of(const Expression& expression, const char* memory, const Scope& scope) {
  const std::string what = fmt::format("bytes of the {}", memory);
  const std::int64_t bytes = evaluate(expression, scope, what);
  if (bytes < 0) throw bad_input("{} is {}; it must be at least 0", what, bytes);
  if (bytes > kMostMemoryBytes)
    throw bad_input("{} is {}; it may be at most {}", what, bytes, kMostMemoryBytes);
  return bytes;
}

PlannedArgument plan_place(const Operation& operation, const LaunchArgument& place,
                           const Scope& scope, const std::string& loop) {
  if (place.kind != LaunchArgument::Kind::workspace)
    return of_argument(index_of(operation, place.name).value());
  const std::int64_t offset = evaluate(place.value, scope, fmt::format("swap of loop '{}'", loop));
  if (offset < 0)
    throw bad_input("swap of loop '{}' begins {} bytes into the workspace", loop, offset);
  return {.kind = PlannedArgument::Kind::workspace, .offset = offset};
}

// Throws InputError unless two buffers that change places are alike.
void check_swap(const Operation& operation, const Loop& loop, const Scope& scope) {
  std::vector<const Argument*> buffers;
  for (const LaunchArgument& place : loop.swap)
    if (const auto index = index_of(operation, place.name);
        place.kind == LaunchArgument::Kind::argument && index)
      buffers.push_back(&operation.arguments[static_cast<std::size_t>(*index)]);
  if (buffers.size() < 2) return;
  if (type_of(*buffers[0], scope) != type_of(*buffers[1], scope) ||
      count_of(*buffers[0], scope) != count_of(*buffers[1], scope))
    throw bad_input(
        "'{}' and '{}' change places in loop '{}', but differ in type or number of elements",
        buffers[0]->name, buffers[1]->name, loop.name);
}

PlannedLoop plan_loop(const Operation& operation, const Loop& loop, const Scope& scope) {
  PlannedLoop planned;
  const std::string what = fmt::format("trips of loop '{}'", loop.name);
  planned.trips = evaluate(loop.trips, scope, what);
  if (planned.trips < 0) throw bad_input("{} is {}; it must be at least 0", what, planned.trips);
  for (const LaunchArgument& place : loop.swap)
    planned.swap.push_back(plan_place(operation, place, scope, loop.name));
  check_swap(operation, loop, scope);
  return planned;
}

bool uses_trip(const Launch& launch) {
  bool is_used = false;
  for_each_expression(launch, [&](const Expression& one) { is_used |= uses(one, kTrip); });
  return is_used;
}

// Plans launches, those of one loop together, which the manifest puts beside each other.
class CallPlanner {
 public:
  CallPlanner(const Operation& operation, const Scope& scope)
      : operation_(operation), scope_(scope) {}

  LaunchPlan plan(const std::vector<Launch>& launches, const std::vector<Loop>& loops) {
    std::vector<const Launch*> active;
    for (const Launch& launch : launches)
      if (is_active(operation_, launch, scope_)) active.push_back(&launch);
    for (std::size_t first = 0, end = 0; first < active.size(); first = end) {
      const std::string& name = active[first]->loop;
      while (end < active.size() && active[end]->loop == name) ++end;
      const std::span<const Launch* const> together(&active[first], end - first);
      if (name.empty()) {
        add(together, scope_);
        continue;
      }
      const Loop* const loop = find_named(loops, name);
      if (loop == nullptr) throw bad_input("there is no loop '{}'", name);
      add_loop(*loop, together);
    }
    return std::move(plan_);
  }

 private:
  void add(std::span<const Launch* const> launches, const Scope& scope) {
    for (const Launch* launch : launches)
      plan_.launches.push_back(plan_launch(operation_, *launch, scope, plan_.textures));
  }

  void add_loop(const Loop& loop, std::span<const Launch* const> launches) {
    PlannedLoop planned = plan_loop(operation_, loop, scope_);
    if (planned.trips == 0) return;
    if (std::ranges::any_of(launches, [](const Launch* one) { return uses_trip(*one); }))
      return write_out(loop, planned, launches);
    planned.first = static_cast<int>(plan_.launches.size());
    planned.count = static_cast<int>(launches.size());
    plan_.loops.push_back(std::move(planned));
    add(launches, scope_);
  }

  void write_out(const Loop& loop, const PlannedLoop& planned,
                 std::span<const Launch* const> launches) {
    if (planned.trips > kMostWrittenOut / static_cast<std::int64_t>(launches.size()))
      throw bad_input(
          "loop '{}' has {} trips of {} launches; where an expression uses 'trip', it "
          "makes at most {} launches",
          loop.name, planned.trips, launches.size(), kMostWrittenOut);
    for (std::int64_t trip = 0; trip < planned.trips; ++trip) {
      const std::size_t first = plan_.launches.size();
      add(launches, [&](std::string_view name) {
        return name == kTrip ? std::optional<Value>(trip) : scope_(name);
      });
      for (std::size_t i = first; i < plan_.launches.size(); ++i)
        plan_.launches[i] = in_trip(std::move(plan_.launches[i]), planned, trip);
    }
  }

  const Operation& operation_;
  const Scope& scope_;
  LaunchPlan plan_;
};

LaunchPlan plan_call(const Operation& operation, const std::vector<Launch>& launches,
                     const std::vector<Loop>& loops, const Workspace& workspace,
                     const Scope& scope) {
  LaunchPlan plan = CallPlanner(operation, scope).plan(launches, loops);
  if (const auto error = loops_error(plan)) throw InputError(*error);
  plan.workspace_bytes = bytes_of(workspace.bytes, "workspace", scope);
  plan.workspace_zero = workspace.zero;
  plan.prepared_bytes = bytes_of(workspace.prepared, "prepared input", scope);
  const bool is_prepared = std::ranges::any_of(plan.launches, &PlannedLaunch::prepares);
  if (!plan.launches.empty() && is_prepared != (plan.prepared_bytes > 0))
    throw bad_input("the prepared input has {} bytes, and {} prepares it", plan.prepared_bytes,
                    is_prepared ? "a launch" : "no launch of this configuration");
  for (const PlannedLaunch& launch : plan.launches)
    for (const PlannedArgument& argument : launch.arguments)
      check_workspace_use(argument, launch.entry, plan);
  for (const PlannedLoop& loop : plan.loops)
    for (const PlannedArgument& place : loop.swap) check_workspace_use(place, "loop", plan);
  if (prepared_input(operation, scope)) return plan;
  return with_preparation(std::move(plan));
}

}  // namespace

LaunchPlan with_preparation(LaunchPlan plan) {
  constexpr std::int64_t kAlignment = 256;  // as where prepared memory is alone
  if (plan.prepared_bytes == 0) return plan;
  const std::int64_t behind = (plan.workspace_bytes + kAlignment - 1) / kAlignment * kAlignment;
  plan.workspace_bytes = behind + std::exchange(plan.prepared_bytes, 0);
  for (PlannedLaunch& launch : plan.launches) {
    launch.prepares = false;
    for (PlannedArgument& argument : launch.arguments)
      if (std::exchange(argument.prepared, false)) argument.offset += behind;
  }
  return plan;
}

LaunchPlan plan_launches(const Operation& operation, const std::vector<Launch>& launches,
                         const Workspace& workspace, const Scope& scope) {
  return plan_call(operation, launches, {}, workspace, scope);
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
    const std::int64_t count = count_of(argument, scope);
    const auto size = static_cast<std::int64_t>(size_of(type_of(argument, scope)));
    if (count < 0 || count > kMostBufferElements)
      throw bad_input("argument '{}' has {} elements", argument.name, count);
    planned.push_back({constant_key(constant.symbol, constant.unit), index, count * size});
  }
  return planned;
}

// Those of units that are launched, because others may not be compiled. The variables of the
// implementation's own unit are also in those of launches with macros.
static std::vector<ConstantSymbol> launched_constants(const Operation& operation,
                                                      const Implementation& implementation,
                                                      const Scope& scope) {
  std::set<std::string> units;
  if (implementation.constants.empty()) return {};
  for (const Launch& launch : implementation.launches)
    if (is_active(operation, launch, scope)) units.insert(launch.unit);
  std::vector<ConstantSymbol> constants;
  for (const ConstantSymbol& constant : implementation.constants)
    for (const std::string& unit : units)
      if (is_of_unit(constant, unit)) {
        constants.push_back(constant);
        constants.back().unit = unit;
      }
  return constants;
}

PlannedRoutine plan_routine(const Operation& operation, const Implementation& implementation,
                            const Scope& scope) {
  PlannedRoutine planned{implementation.routine};
  const auto add = [&](const std::string& name, const std::optional<Value>& value) {
    if (value) planned.values.emplace(name, *value);
  };
  for (const Dimension& one : operation.dimensions) add(one.name, scope(one.name));
  for (const Choice& one : operation.choices) {
    add(one.name, scope(one.name));
    if (!one.absent.empty()) add(one.name, one.absent);
  }
  for (const Hook& one : operation.hooks)
    if (one.snippet) add(one.name, one.snippet->name);
  for (const Parameter& one : implementation.parameters) add(one.name, scope(one.name));
  for (const Argument& one : operation.arguments) {
    planned.arguments.push_back(one.name);
    add(one.name, to_text(type_of(one, scope)));
  }
  return planned;
}

LaunchPlan plan_launches(const Operation& operation, const Implementation& implementation,
                         const Scope& scope) {
  LaunchPlan plan = plan_call(operation, implementation.launches, implementation.loops,
                              implementation.workspace, scope);
  if (implementation.is_routine()) plan.routine = plan_routine(operation, implementation, scope);
  plan.constants =
      plan_constants(operation, launched_constants(operation, implementation, scope), scope);
  return plan;
}

LaunchPlan plan_launches(const Operation& operation, const Reference& reference,
                         const Scope& scope) {
  LaunchPlan plan = plan_call(operation, reference.launches, reference.loops, Workspace{}, scope);
  for (const PlannedLaunch& launch : plan.launches)
    for (std::size_t i = 0; i < launch.grid.size(); ++i)
      for (const auto& [key, extent] :
           {std::pair("grid", launch.grid.at(i)), {"block", launch.block.at(i)}})
        if (extent < 1)
          throw bad_input(
              "{}: {}[{}] of the launch '{}', which gives the right answers or fills an "
              "argument, is {}; the least is 1",
              operation.manifest.string(), key, i, launch.entry, extent);
  plan.constants = plan_constants(operation, reference.constants, scope);
  return plan;
}

}  // namespace tilewright
