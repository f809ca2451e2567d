#include "tuner/plan/ready_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "definition/expression/operators.hpp"
#include "tuner/plan/failure.hpp"

namespace tilewright {
namespace {

bool uses_name(const ExpressionNode& node, std::string_view name) {
  if (node.op == Operator::name) return node.text == name;
  if (node.op == Operator::size_of) return false;
  return std::ranges::any_of(node.children,
                             [&](const ExpressionNode& child) { return uses_name(child, name); });
}

std::string number(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min())  // its digits alone are too large
    return fmt::format("(-{} - 1)", std::numeric_limits<std::int64_t>::max());
  return value < 0 ? fmt::format("(-{})", -value) : std::to_string(value);
}

// The text of an expression of which only `resident` is not known.
std::string folded(const ExpressionNode& node, const Expression& whole, const Scope& scope) {
  const auto value_of = [&](const ExpressionNode& of) {
    return whole.with_root(of).evaluate(scope);
  };
  if (!uses_name(node, kResident)) return number(value_of(node));
  const std::vector<ExpressionNode>& children = node.children;
  if (node.op == Operator::name) return kResident;
  if (node.op == Operator::otherwise) return folded(children[0], whole, scope);
  if (node.op == Operator::conditional && !uses_name(children[0], kResident))
    return folded(children[value_of(children[0]) != 0 ? 1 : 2], whole, scope);  // that is taken
  std::vector<std::string> parts;
  for (const ExpressionNode& child : children) parts.push_back(folded(child, whole, scope));
  if (node.op == Operator::conditional)
    return fmt::format("({} ? {} : {})", parts[0], parts[1], parts[2]);
  const OperatorFacts& facts = facts_of(node.op);
  if (facts.least > 0 || node.op == Operator::negate || node.op == Operator::logical_not)
    return fmt::format("{}({})", facts.name, fmt::join(parts, ", "));
  return fmt::format("({} {} {})", parts[0], facts.name, parts[1]);
}

std::int64_t grid_of(const PlannedLaunch& launch, std::size_t axis, std::int64_t resident) {
  const std::string& text = launch.grid_texts.at(axis);
  const auto at = [&] {
    return fmt::format("{}: grid[{}] = {} with {} resident blocks", launch.entry, axis, text,
                       resident);
  };
  std::int64_t blocks = 0;
  try {
    blocks = Expression::parse(text).evaluate([&](std::string_view name) {
      return name == kResident ? std::optional<Value>(resident) : std::nullopt;
    });
  } catch (const ExpressionError& error) {
    refuse_launch(fmt::format("{} has no result: {}", at(), error.what()));
  }
  if (blocks < 1 || blocks > std::numeric_limits<std::int32_t>::max())
    refuse_launch(fmt::format("{} is {}; the least is 1", at(), blocks));
  const std::int64_t cluster = launch.cluster.at(axis);
  if (cluster < 1 || blocks % cluster != 0)
    refuse_launch(
        fmt::format("{} is {}, which clusters of {} do not divide", at(), blocks, cluster));
  return blocks;
}

bool is_same_place(const PlannedArgument& a, const PlannedArgument& b) {
  return a.kind == b.kind && a.index == b.index && a.offset == b.offset && a.prepared == b.prepared;
}

}  // namespace

bool uses(const Expression& expression, std::string_view name) {
  return expression.text().find(name) != std::string::npos && uses_name(expression.root(), name);
}

std::string with_resident_alone(const Expression& expression, const Scope& scope) {
  return folded(expression.root(), expression, scope);
}

std::optional<std::string> resident_text_error(const std::string& text) try {
  for (const std::string& name : Expression::parse(text).names())
    if (name != kResident) return fmt::format("a grid uses '{}'", name);
  return std::nullopt;
} catch (const ExpressionError& error) {
  return fmt::format("a grid does not parse: {}", error.what());
}

LaunchPlan with_grids(LaunchPlan plan, const ResidentBlocks& resident) {
  for (PlannedLaunch& launch : plan.launches) {
    if (!launch.has_open_grid()) continue;
    const std::int64_t blocks = resident(launch);
    for (std::size_t i = 0; i < launch.grid.size(); ++i)
      if (!launch.grid_texts.at(i).empty()) launch.grid.at(i) = grid_of(launch, i, blocks);
    launch.grid_texts = {};
  }
  return plan;
}

std::optional<std::string> loops_error(const LaunchPlan& plan) {
  const auto most = static_cast<std::int64_t>(plan.launches.size());
  std::int64_t next = 0;  // launch that no loop has so far
  std::int64_t total = most;
  for (const PlannedLoop& loop : plan.loops) {
    if (loop.first < next || loop.count < 1 || loop.count > most - loop.first)
      return fmt::format("a loop of {} launches from launch {} on", loop.count, loop.first);
    if (!loop.swap.empty() && loop.swap.size() != 2)
      return fmt::format("a loop in which {} arguments change places", loop.swap.size());
    next = std::int64_t{loop.first} + loop.count;
    if (loop.trips < 1 || loop.trips > kMostLaunches)
      return fmt::format("a loop of {} trips; there may be 1 to {}", loop.trips, kMostLaunches);
    total += (loop.trips - 1) * loop.count;
    if (total > kMostLaunches)
      return fmt::format("its loops make more than {} launches", kMostLaunches);
  }
  return std::nullopt;
}

PlannedLaunch in_trip(PlannedLaunch launch, const PlannedLoop& loop, std::int64_t trip) {
  const bool is_swapped = trip % 2 == 1 && loop.swap.size() == 2;
  for (PlannedArgument& argument : launch.arguments) {
    if (argument.kind == PlannedArgument::Kind::trip) {
      argument.kind = PlannedArgument::Kind::bytes;
      argument.bytes = scalar_bytes(trip, ElementType::int32, "the trip");
    } else if (is_swapped && is_same_place(argument, loop.swap[0])) {
      argument = loop.swap[1];
    } else if (is_swapped && is_same_place(argument, loop.swap[1])) {
      argument = loop.swap[0];
    }
  }
  return launch;
}

LaunchPlan with_trips(LaunchPlan plan) {
  if (plan.loops.empty()) return plan;
  if (const auto error = loops_error(plan)) refuse_launch(*error);
  std::vector<PlannedLaunch> all;
  std::size_t next = 0;
  const auto add_until = [&](std::size_t end) {
    for (; next < end; ++next) all.push_back(plan.launches[next]);
  };
  for (const PlannedLoop& loop : plan.loops) {
    const auto first = static_cast<std::size_t>(loop.first);
    add_until(first);
    next += static_cast<std::size_t>(loop.count);
    for (std::int64_t trip = 0; trip < loop.trips; ++trip)
      for (std::size_t i = first; i < next; ++i)
        all.push_back(in_trip(plan.launches[i], loop, trip));
  }
  add_until(plan.launches.size());
  plan.launches = std::move(all);
  plan.loops.clear();
  return plan;
}

std::int64_t parameter_bytes(const PlannedArgument& planned, std::span<const std::int64_t> sizes) {
  using Kind = PlannedArgument::Kind;
  if (planned.kind == Kind::bytes) return static_cast<std::int64_t>(planned.bytes.size());
  if (planned.kind == Kind::workspace) return sizeof(void*);
  if (planned.kind == Kind::workspace_map) return kTensorMapBytes;
  if (planned.kind == Kind::texture) return sizeof(TextureHandle);
  if (planned.kind == Kind::trip) refuse_launch("the trip of a loop in a launch of no loop");
  const auto index = static_cast<std::size_t>(planned.index);
  if (index >= sizes.size()) refuse_launch("a launch names an unknown argument");
  if (planned.kind == Kind::tensor_map) return kTensorMapBytes;
  return planned.kind == Kind::by_value ? planned.size : sizes[index];
}

std::optional<std::string> parameters_error(const PlannedLaunch& launch,
                                            std::span<const std::int64_t> declared,
                                            std::span<const std::int64_t> sizes) {
  if (declared.size() != launch.arguments.size())
    return fmt::format("{} takes {} arguments; the launch gives {}", launch.entry, declared.size(),
                       launch.arguments.size());
  for (std::size_t i = 0; i < declared.size(); ++i)
    if (const std::int64_t given = parameter_bytes(launch.arguments[i], sizes);
        given != declared[i])
      return fmt::format("{}: argument {} has {} bytes; the launch gives {}", launch.entry, i + 1,
                         declared[i], given);
  return std::nullopt;
}

}  // namespace tilewright
