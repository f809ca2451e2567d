// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "runtime/launch/recipe.hpp"

namespace tilewright {

std::int64_t RecipeArgument::parameter_bytes() const {
  if (asked.kind == ArgumentKind::buffer) return sizeof(void*);
  const std::int64_t elements = asked.kind == ArgumentKind::array ? capacity : 1;
  return elements * static_cast<std::int64_t>(size_of(asked.type));
}

std::vector<KernelArgument> asked_arguments(const Recipe& recipe) {
  std::vector<KernelArgument> arguments;
  for (const RecipeArgument& argument : recipe.arguments)
    if (argument.value.empty()) arguments.push_back(argument.asked);
  return arguments;
}

}  // namespace tilewright
