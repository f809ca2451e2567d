// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "tuner/backend/device_report.hpp"
#include "tuner/runtime/call.hpp"
#include "tuner/runtime/recipe.hpp"

namespace tilewright {

// What the copies of a Kernel share: a recipe, and its code once that is loaded.
class Kernel::State {
 public:
  // `find_code` is called by the first prepare() that gets that far, and again if it threw.
  using FindCode = std::function<RecipeCode(const Recipe&)>;
  State(Recipe recipe, DeviceReport device, FindCode find_code);

  const Recipe& recipe() const { return recipe_; }
  const Device& device() const { return device_.device; }
  const std::vector<KernelArgument>& arguments() const { return arguments_; }

  const Executable& prepared();
  void launch(void* stream, std::span<const Operand> operands, const Scratch& scratch);

 private:
  std::unique_ptr<Executable> load() const;

  const Recipe recipe_;
  const DeviceReport device_;
  const std::vector<KernelArgument> arguments_;
  std::mutex preparing_;
  FindCode find_code_;
  std::unique_ptr<Executable> executable_;
  std::atomic<const Executable*> ready_ = nullptr;
};

}  // namespace tilewright
