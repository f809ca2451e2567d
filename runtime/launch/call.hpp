// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>

#include "runtime/launch/recipe.hpp"
#include "tuner/backend/executable.hpp"

namespace tilewright {

// Where inputs that go by value are read from where the caller gave no copy of them.
enum class ValuesFrom { copy_only, buffer };

// A caller's operands held against a recipe, as an executable takes them. Refers to both.
class Call {
 public:
  // Throws InputError, without the kernel's name.
  Call(const Recipe& recipe, std::span<const Operand> operands, ValuesFrom values_from);

  std::span<const CallArgument> arguments() const { return {arguments_.data(), count_}; }

 private:
  std::array<CallArgument, kMostCallArguments> arguments_;
  std::size_t count_ = 0;
};

// Throws InputError for a workspace that is missing or misaligned.
void check_workspace(const Recipe& recipe, const Scratch& scratch);

// Whether the kernels need zeros there that nobody has said to be there.
ClearWorkspace clearing_of(const Recipe& recipe, const Scratch& scratch);

}  // namespace tilewright
