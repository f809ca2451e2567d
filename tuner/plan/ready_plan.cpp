#include "tuner/plan/ready_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tuner/plan/failure.hpp"

namespace tilewright {
namespace {

bool uses_resident(const ExpressionNode& node) {
  if (node.op == Operator::name) return node.text == kResident;
  if (node.op == Operator::size_of) return false;
  return std::ranges::any_of(node.children,
                             [](const ExpressionNode& child) { return uses_resident(child); });
}

// "+", "min", …
std::string_view sign_of(Operator op) {
  switch (op) {
    case Operator::add:
      return "+";
    case Operator::subtract:
      return "-";
    case Operator::multiply:
      return "*";
    case Operator::floor_divide:
      return "/";
    case Operator::modulo:
      return "%";
    case Operator::equal:
      return "==";
    case Operator::not_equal:
      return "!=";
    case Operator::less:
      return "<";
    case Operator::less_equal:
      return "<=";
    case Operator::greater:
      return ">";
    case Operator::greater_equal:
      return ">=";
    case Operator::logical_and:
      return "&&";
    case Operator::logical_or:
      return "||";
    case Operator::minimum:
      return "min";
    case Operator::maximum:
      return "max";
    case Operator::ceil_div:
      return "ceil_div";
    case Operator::absolute:
      return "abs";
    default:
      return "";
  }
}

// Writes an expression of which only `resident` is not known.
class Folder {
 public:
  Folder(const Expression& expression, const Scope& scope)
      : expression_(expression), scope_(scope) {}

  std::string text(const ExpressionNode& node) const {
    if (!uses_resident(node)) return number(value_of(node));
    switch (node.op) {
      case Operator::name:
        return kResident;
      case Operator::negate:
        return fmt::format("-({})", text(node.children[0]));
      case Operator::logical_not:
        return fmt::format("!({})", text(node.children[0]));
      case Operator::otherwise:
        return text(node.children[0]);
      case Operator::conditional:
        return choice(node);
      case Operator::minimum:
      case Operator::maximum:
      case Operator::ceil_div:
      case Operator::absolute:
        return call(node);
      default:
        return fmt::format("({} {} {})", text(node.children[0]), sign_of(node.op),
                           text(node.children[1]));
    }
  }

 private:
  std::int64_t value_of(const ExpressionNode& node) const {
    return expression_.with_root(node).evaluate(scope_);
  }

  static std::string number(std::int64_t value) {
    if (value == std::numeric_limits<std::int64_t>::min())  // its digits alone are too large
      return fmt::format("(-{} - 1)", std::numeric_limits<std::int64_t>::max());
    return value < 0 ? fmt::format("(-{})", -value) : std::to_string(value);
  }

  // Only the branch that is taken has a result.
  std::string choice(const ExpressionNode& node) const {
    if (!uses_resident(node.children[0]))
      return text(node.children[value_of(node.children[0]) != 0 ? 1 : 2]);
    return fmt::format("({} ? {} : {})", text(node.children[0]), text(node.children[1]),
                       text(node.children[2]));
  }

  std::string call(const ExpressionNode& node) const {
    std::string all;
    for (const ExpressionNode& child : node.children)
      all += (all.empty() ? "" : ", ") + text(child);
    return fmt::format("{}({})", sign_of(node.op), all);
  }

  const Expression& expression_;
  const Scope& scope_;
};

[[noreturn]] void refuse(const std::string& why) {
  throw TrialError(Outcome::launch_failed, why);
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
    refuse(fmt::format("{} has no result: {}", at(), error.what()));
  }
  if (blocks < 1 || blocks > std::numeric_limits<std::int32_t>::max())
    refuse(fmt::format("{} is {}; the least is 1", at(), blocks));
  const std::int64_t cluster = launch.cluster.at(axis);
  if (cluster < 1 || blocks % cluster != 0)
    refuse(fmt::format("{} is {}, which clusters of {} do not divide", at(), blocks, cluster));
  return blocks;
}

bool is_same_place(const PlannedArgument& a, const PlannedArgument& b) {
  return a.kind == b.kind && a.index == b.index && a.offset == b.offset;
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

}  // namespace

bool uses_resident(const Expression& expression) {
  return expression.text().find(kResident) != std::string::npos && uses_resident(expression.root());
}

std::string with_resident_alone(const Expression& expression, const Scope& scope) {
  return Folder(expression, scope).text(expression.root());
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

LaunchPlan with_trips(LaunchPlan plan) {
  if (plan.loops.empty()) return plan;
  if (const auto error = loops_error(plan)) refuse(*error);
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

}  // namespace tilewright
