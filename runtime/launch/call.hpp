#pragma once

#include <array>
#include <span>

#include "runtime/launch/recipe.hpp"
#include "tuner/backend/executable.hpp"

namespace tilewright {

// Where inputs by value are read from if the caller gave no host copy of them.
enum class ValuesFrom { copy_only, buffer };

// A caller's operands, checked against a recipe and in the form that an executable takes. Refers to
// both.
class Call {
 public:
  // Throws InputError; its text does not name the kernel.
  Call(const Recipe& recipe, std::span<const Operand> operands, ValuesFrom values_from);

  std::span<const CallArgument> arguments() const { return {arguments_.data(), count_}; }

 private:
  std::array<CallArgument, kMostCallArguments> arguments_;
  std::size_t count_ = 0;
};

// Throws InputError if the workspace is missing or misaligned.
void check_workspace(const Recipe& recipe, const Scratch& scratch);

// Whether a launch must clear the workspace: its kernels need zeros, and the caller has not
// promised them.
ClearWorkspace clearing_of(const Recipe& recipe, const Scratch& scratch);

}  // namespace tilewright
