// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/kernel.hpp"
#include "tuner/backend/launch_plan.hpp"

namespace tilewright {

// An argument of the operation: asked from the caller, or a scalar whose value follows from the
// problem.
struct RecipeArgument {
  KernelArgument asked;
  std::int64_t capacity = 0;        // arrays: elements
  std::vector<std::uint8_t> value;  // empty: asked from the caller

  // As a kernel takes it.
  std::int64_t parameter_bytes() const;
  bool operator==(const RecipeArgument&) const = default;
};

// One problem's kernel in numbers: all that a launch needs except the code.
struct Recipe {
  Answer answer;
  std::string label;  // for messages: "gemm/blocked M=512 N=512 K=512"
  Device device;      // that the numbers were worked out for
  std::string architecture;
  std::vector<RecipeArgument> arguments;  // as the operation has them
  LaunchPlan launches;
};

// The code of a recipe.
struct RecipeCode {
  std::shared_ptr<const std::vector<std::uint8_t>> bytes;
  std::map<std::string, std::string> symbols;  // entry → symbol
};

// Those asked from the caller, in order.
std::vector<KernelArgument> asked_arguments(const Recipe& recipe);

}  // namespace tilewright
