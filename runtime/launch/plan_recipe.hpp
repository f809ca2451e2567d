// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "db/ladder/definitions.hpp"
#include "runtime/launch/recipe.hpp"
#include "tuner/backend/compiler.hpp"

namespace tilewright {

// An operation and the one implementation of it that is to be launched. `family` keeps what was
// made for a snippet; the rest belongs to the definitions, which must outlive this.
struct ChosenKernel {
  const Operation* operation = nullptr;
  const Implementation* implementation = nullptr;
  std::shared_ptr<const Family> family = {};
};

// What a look-up's answer means. Throws InputError as Definitions::choose.
ChosenKernel chosen_kernel(const Definitions& definitions, const Answer& answer);

// The answer in numbers, for code of `architecture`. Throws InputError where an expression has no
// result.
Recipe plan_recipe(const ChosenKernel& chosen, const Answer& answer, const Device& device,
                   const std::string& architecture);

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
