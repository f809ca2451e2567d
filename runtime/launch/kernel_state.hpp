// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/launch/call.hpp"
#include "runtime/launch/recipe.hpp"
#include "tuner/backend/device_report.hpp"

namespace tilewright {

enum class CodeFrom { catalog, bundle };

// A recipe and where its code comes from.
struct KernelAttempt {
  Recipe recipe;
  std::function<RecipeCode(const Recipe&)> find_code;
  CodeFrom from = CodeFrom::catalog;
};

// An attempt whose code did not compile or load.
struct FailedAttempt {
  Answer answer;
  CodeFrom from = CodeFrom::catalog;
  std::string label;
  std::string why;
};

// What the copies of a Kernel share: a recipe, and its code once that is loaded. Where that fails
// the next best recipe steps in, as long as a launch of it needs no more than the first announced.
class Kernel::State {
 public:
  // The next best after those; nothing: none is left.
  using StepDown = std::function<std::optional<KernelAttempt>(std::span<const FailedAttempt>)>;
  // Both functions are called within prepare(), and again if it threw.
  State(KernelAttempt first, DeviceReport device, StepDown step_down = {});

  const Recipe& first_recipe() const { return first_.recipe; }
  const Recipe& recipe() const;  // the one in service, before prepare() the first
  const Device& device() const { return device_.device; }
  const std::vector<KernelArgument>& arguments() const { return arguments_; }

  void prepare() { static_cast<void>(prepared()); }
  void launch(void* stream, std::span<const Operand> operands, const Scratch& scratch);

 private:
  struct Ready {
    const Recipe* recipe = nullptr;
    const Executable* executable = nullptr;
  };

  const Ready& prepared();
  void load_best();
  std::unique_ptr<Executable> load(const KernelAttempt& attempt) const;
  void require_no_more_than_announced(const Recipe& recipe) const;

  KernelAttempt first_;
  const DeviceReport device_;
  const std::vector<KernelArgument> arguments_;
  StepDown step_down_;
  std::mutex preparing_;
  std::optional<Recipe> stepped_down_to_;
  std::unique_ptr<Executable> executable_;
  Ready ready_;
  std::atomic<const Ready*> serving_ = nullptr;
};

}  // namespace tilewright
