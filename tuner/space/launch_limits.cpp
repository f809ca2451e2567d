#include "tuner/space/launch_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/error.hpp"
#include "tuner/backend/launch_plan.hpp"

namespace tilewright {

LaunchLimits::LaunchLimits(const Operation& operation, const Implementation& implementation,
                           const Device& device, const Radix& radix, Bindings& bindings)
    : operation_(operation),
      implementation_(implementation),
      device_(device),
      radix_(radix),
      bindings_(bindings) {}

const std::optional<Violation>& LaunchLimits::violation(Code code) {
  const auto known = verdicts_.find(key_of(code));
  if (known != verdicts_.end()) return known->second;
  const std::size_t asked_before = asked_for_.size();
  std::optional<Violation> found = judge(code);
  if (asked_for_.size() > asked_before) verdicts_.clear();  // because their keys changed
  return verdicts_.emplace(key_of(code), std::move(found)).first->second;
}

std::optional<Value> LaunchLimits::look_up(std::string_view name) {
  const Value* const value = bindings_.find(name);
  if (value == nullptr) return std::nullopt;
  const std::size_t depth = bindings_.depth_of(name);
  if (depth > 0 && std::ranges::find(asked_for_, depth - 1) == asked_for_.end())
    asked_for_.push_back(depth - 1);
  return *value;
}

std::optional<Violation> LaunchLimits::judge(Code code) {
  ++judged_;
  for (std::size_t i = 0; i < radix_.digits().size(); ++i)
    bindings_.bind(i, radix_.digits()[i].values[radix_.place(code, i)]);
  const Scope scope = [this](std::string_view name) { return look_up(name); };
  try {
    const LaunchPlan launches =
        plan_launches(operation_, implementation_.launches, implementation_.workspace, scope);
    return static_violation(implementation_, launches, scope, device_);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}, for {}", implementation_.full_name(), error.what(),
                                 to_text(radix_.configuration(code).values)));
  }
}

// The digits of the parameters in asked_for_.
Code LaunchLimits::key_of(Code code) const {
  Code key = 0;
  for (const std::size_t i : asked_for_) key += radix_.place(code, i) * radix_.digits()[i].weight;
  return key;
}

}  // namespace tilewright
