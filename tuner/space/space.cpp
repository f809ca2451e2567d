// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/space/space.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/error.hpp"
#include "tuner/backend/launch_plan.hpp"
#include "tuner/space/bindings.hpp"
#include "tuner/space/limits.hpp"
#include "tuner/space/rules.hpp"

namespace tilewright {
namespace {

// Depth-first over the parameters in the manifest's order.
class Enumeration {
 public:
  Enumeration(const Operation& operation, const Implementation& implementation,
              const Problem& problem, const Device& device, const std::optional<Expression>& where,
              const SpaceLimits& limits)
      : operation_(operation),
        implementation_(implementation),
        device_(device),
        limits_(limits),
        bindings_(implementation, problem, device),
        scope_(bindings_.scope()),
        rules_by_depth_(implementation.parameters.size() + 1),
        combinations_(implementation.parameters.size() + 1, 1) {
    for (Rule& rule : make_rules(implementation, where, bindings_)) {
      const std::size_t cut = cut_index(rule.name);
      std::vector<PlacedRule>& here = rules_by_depth_[rule.depth];
      here.push_back({std::move(rule), cut});
    }
    count_combinations();
  }

  Space run() {
    descend(0);
    std::erase_if(space_.cuts, [](const Cut& cut) { return cut.count == 0; });
    return std::move(space_);
  }

 private:
  struct PlacedRule {
    Rule rule;
    std::size_t cut = 0;  // in space_.cuts
  };

  std::size_t cut_index(const std::string& rule);
  void count_combinations();
  void descend(std::size_t depth);
  bool is_cut(std::size_t depth);
  bool judged(const Rule& rule) const;
  void keep();
  LaunchPlan plan() const;
  void check_size() const;

  const Operation& operation_;
  const Implementation& implementation_;
  const Device& device_;
  const SpaceLimits limits_;
  Bindings bindings_;
  Scope scope_;
  std::vector<std::vector<PlacedRule>> rules_by_depth_;
  std::vector<std::int64_t> combinations_;  // by depth: of the parameters that are not yet bound
  std::int64_t visited_ = 0;
  Space space_;
};

std::size_t Enumeration::cut_index(const std::string& rule) {
  const auto found = std::find_if(space_.cuts.begin(), space_.cuts.end(),
                                  [&](const Cut& cut) { return cut.rule == rule; });
  const auto index = static_cast<std::size_t>(found - space_.cuts.begin());
  if (found == space_.cuts.end()) space_.cuts.push_back({rule, 0, {}});
  return index;
}

void Enumeration::count_combinations() {
  for (std::size_t i = implementation_.parameters.size(); i-- > 0;) {
    const auto values = static_cast<std::int64_t>(implementation_.parameters[i].values.size());
    if (__builtin_mul_overflow(combinations_[i + 1], values, &combinations_[i]))
      throw InputError(fmt::format("{}: the number of combinations does not fit into 64 bits",
                                   implementation_.full_name()));
  }
  space_.combinations = combinations_[0];
}

void Enumeration::descend(std::size_t depth) {
  if (is_cut(depth)) return;
  if (depth == implementation_.parameters.size()) {
    keep();
    return;
  }
  for (const Value& value : implementation_.parameters[depth].values) {
    ++visited_;
    check_size();
    bindings_.bind(depth, value);
    descend(depth + 1);
  }
}

bool Enumeration::is_cut(std::size_t depth) {
  for (const PlacedRule& placed : rules_by_depth_[depth]) {
    if (judged(placed.rule)) continue;
    Cut& cut = space_.cuts[placed.cut];
    if (cut.example.empty()) cut.example = describe_broken(placed.rule, implementation_, bindings_);
    cut.count += combinations_[depth];
    return true;
  }
  return false;
}

bool Enumeration::judged(const Rule& rule) const {
  try {
    return accepts(rule, implementation_, bindings_);
  } catch (const ExpressionError& error) {
    throw InputError(fmt::format("{}: {}: {} at character {}, for {}", implementation_.full_name(),
                                 rule.what, error.what(), error.position() + 1,
                                 to_text(bindings_.configuration(rule.depth).values)));
  }
}

void Enumeration::keep() {
  const LaunchPlan launches = plan();
  Configuration configuration = bindings_.configuration(implementation_.parameters.size());
  if (auto broken = static_violation(implementation_, launches, scope_, device_))
    space_.pruned.push_back(
        {std::move(configuration), std::move(broken->rule), std::move(broken->message)});
  else
    space_.legal.push_back(std::move(configuration));
  check_size();
}

LaunchPlan Enumeration::plan() const {
  try {
    return plan_launches(operation_, implementation_.launches, implementation_.workspace, scope_);
  } catch (const InputError& error) {
    const Configuration configuration = bindings_.configuration(implementation_.parameters.size());
    throw InputError(fmt::format("{}: {}, for {}", implementation_.full_name(), error.what(),
                                 to_text(configuration.values)));
  }
}

void Enumeration::check_size() const {
  const auto kept = static_cast<std::int64_t>(space_.legal.size() + space_.pruned.size());
  if (visited_ <= limits_.visited && kept <= limits_.kept) return;
  throw InputError(
      fmt::format("{}: {} combinations are too many to enumerate; narrow them with "
                  "constraints, fewer values or --where",
                  implementation_.full_name(), space_.combinations));
}

}  // namespace

Space build_space(const Operation& operation, const Implementation& implementation,
                  const Problem& problem, const Device& device,
                  const std::optional<Expression>& where, const SpaceLimits& limits) {
  return Enumeration(operation, implementation, problem, device, where, limits).run();
}

}  // namespace tilewright
