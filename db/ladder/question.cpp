#include "db/ladder/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "definition/architecture.hpp"
#include "definition/problem.hpp"

namespace tilewright {

std::string to_text(Rung rung) {
  constexpr std::array kNames = {
      "override",    "",         "exact",   "other policy", "near problem",
      "near device", "portable", "default", "none"};
  return kNames.at(static_cast<std::size_t>(rung));
}

std::string to_text(Origin origin) {
  constexpr std::array kNames = {"own", "imported", "shipped"};
  return kNames.at(static_cast<std::size_t>(origin));
}

bool accepts(Require require, Rung rung) {
  switch (require) {
    case Require::exact:
      return rung <= Rung::exact;
    case Require::device:
      return rung <= Rung::near_problem;
    case Require::any:
      return rung < Rung::none;
  }
  return false;
}

bool has_its_parameters(const Implementation& implementation, const Configuration& configuration) {
  std::size_t known = 0;
  for (const Parameter& parameter : implementation.parameters) {
    const Value* const value = find_value(configuration, parameter);
    if (value == nullptr || std::ranges::find(parameter.values, *value) == parameter.values.end())
      return false;
    if (configuration.values.contains(parameter.name)) ++known;
  }
  return known == configuration.values.size();
}

bool fits(const Implementation& implementation, const Configuration& configuration,
          const Problem& problem, const Device& device) {
  if (!has_its_parameters(implementation, configuration)) return false;
  if (!why_not_on(implementation, device).empty()) return false;
  const Scope scope = full_scope(problem, configuration, device);
  return std::ranges::all_of(implementation.constraints, [&](const Constraint& constraint) {
    try {
      return constraint.require.is_true(scope);
    } catch (const ExpressionError&) {
      return false;
    }
  });
}

std::string why_not_on(const Implementation& implementation, const Device& device) {
  const std::string& required = implementation.requires_architecture;
  const std::string here = architecture_of(device);
  if (architecture_for(required, here)) return {};
  return fmt::format("{} needs {}, and this is {}", implementation.full_name(), required, here);
}

bool is_excluded(const LadderQuestion& question, const Implementation& implementation,
                 const Configuration& configuration, Rung rung) {
  return std::ranges::any_of(question.excluded, [&](const Exclusion& one) {
    return one.implementation == implementation.full_name() &&
           (one.configuration == configuration || (one.rung && rung <= *one.rung));
  });
}

const KnownWrong* find_wrong(const LadderQuestion& question, const Implementation& implementation,
                             const Configuration& configuration, Rung rung) {
  if (!question.known_wrong || rung == Rung::override_given) return nullptr;
  return question.known_wrong->find(implementation, configuration, question.problem,
                                    question.device, rung);
}

bool may_serve(const LadderQuestion& question, const Implementation& implementation,
               const Configuration& configuration, Rung rung) {
  if (is_excluded(question, implementation, configuration, rung) ||
      find_wrong(question, implementation, configuration, rung) != nullptr)
    return false;
  if (!question.device) return true;
  return fits(implementation, configuration, question.problem, *question.device) &&
         (!question.can_serve || question.can_serve(implementation, configuration, rung));
}

double cycles_on(const Device& device, const std::optional<GeneralConfigurations::Cost>& cost) {
  if (!cost || device.kind == DeviceKind::host) return ladder::no_cost;
  const auto& [blocks, multiprocessors, resident, work, latency, least, overhead] = *cost;
  return ladder::cycles_of({blocks, multiprocessors, resident, work, latency, least, overhead});
}

double expected_cycles(const LadderQuestion& question, const Implementation& implementation,
                       const Configuration& configuration) {
  if (!implementation.cost || !question.device) return ladder::no_cost;
  const Scope scope = full_scope(question.problem, configuration, *question.device);
  GeneralConfigurations::Cost cost{};
  try {
    std::ranges::transform(kCostFormulas, cost.begin(), [&](const CostFormula& formula) {
      return (*implementation.cost.*formula.member).evaluate(scope);
    });
  } catch (const ExpressionError&) {
    return ladder::no_cost;
  }
  return cycles_on(*question.device, cost);
}

CachePolicy cache_of(const LadderQuestion& question) {
  return question.cache.value_or(default_cache_policy(question.device.value_or(Device{})));
}

}  // namespace tilewright
