// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/ladder/definitions.hpp"
#include "tilewright/kernel.hpp"
#include "tuner/backend/compiler.hpp"
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

// The name of an input buffer whose values a launch on a GPU needs in host memory; empty: none.
std::string name_of_value_input(const Recipe& recipe);

// An operation and the one implementation of it that is to be launched. `family` keeps what was
// made for a snippet; the rest belongs to the definitions, which must outlive this.
struct ChosenKernel {
  const Operation* operation = nullptr;
  const Implementation* implementation = nullptr;
  std::shared_ptr<const Family> family = {};
};

// The answer in numbers, for the device. Throws InputError where an expression has no result,
// MachineError where the device cannot run the implementation.
Recipe plan_recipe(const ChosenKernel& chosen, const Answer& answer, const Device& device);

// Whether the configuration reads every buffer in the device's memory, none by value.
bool reads_memory(const ChosenKernel& chosen, const Problem& problem,
                  const Configuration& configuration, const Device& device);

// One that does so, and fits, and differs from the configuration in one parameter at most. Nothing:
// there is none.
std::optional<Configuration> reading_memory(const ChosenKernel& chosen, const Problem& problem,
                                            const Configuration& configuration,
                                            const Device& device);

// Throws InputError where the source cannot be read.
CompileRequest compile_request(const ChosenKernel& chosen, const Recipe& recipe);

// What decides the code beside the texts of its source: implementation, architecture, macros and
// snippets. Configurations and problems of one key share it. Nothing where the device cannot run
// the implementation. Throws InputError where an expression has no result.
std::optional<std::string> build_key(const ChosenKernel& chosen, const Problem& problem,
                                     const Configuration& configuration, const Device& device);

// The names whose value is what a problem gets that leaves them out.
std::set<std::string> defaulted_names(const Operation& operation, const Problem& problem,
                                      const Device& device);

// Label → name, of the snippets of an operation.
std::map<std::string, std::string> snippet_names(const Operation& operation);

}  // namespace tilewright
