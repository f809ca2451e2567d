#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tilewright {

// Parts of planning. All throw InputError.

// An expression that is only a choice gives its label's index; every other one gives a number.
std::int64_t number_of(const Expression& expression, const Operation& operation, const Scope& scope,
                       const std::string& what);

// The real number that takes the place of `value`; `what` names it.
double real_number(const RealValue& real, const Expression& value, const Operation& operation,
                   const Scope& scope, const std::string& what);

std::optional<int> index_of(const Operation& operation, const std::string& argument);

inline PlannedArgument of_argument(int index) {
  return {.kind = PlannedArgument::Kind::argument, .index = index};
}

// Whether the launch's `when` is true.
bool is_active(const Operation& operation, const Launch& launch, const Scope& scope);
// Adds the launch's textures to `textures`, which are those of the call.
PlannedLaunch plan_launch(const Operation& operation, const Launch& launch, const Scope& scope,
                          std::vector<PlannedTexture>& textures);

}  // namespace tilewright
