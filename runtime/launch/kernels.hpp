// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/launch/recipe.hpp"
#include "tilewright/runtime.hpp"
#include "tuner/backend/device_report.hpp"
#include "tuner/backend/executable.hpp"

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

// Where kernels come from: results with a cache and a compiler, or a bundle. Safe to use from many
// threads.
class Kernel::Source {
 public:
  virtual ~Source() = default;

  // The best that the request accepts, except those that failed. Nothing: no other is left. If none
  // has failed and nothing answers, throws InputError or NothingFound.
  virtual std::optional<KernelAttempt> next(const KernelRequest& request,
                                            const DeviceReport& device,
                                            std::span<const FailedAttempt> failed) = 0;
};

// Whether this configuration has failed, wherever it came from.
bool is_among(std::span<const FailedAttempt> failed, const Answer& answer);

// Adds to the answer what was tried before it and failed.
void say_what_failed(std::span<const FailedAttempt> failed, Answer& answer);

// Whether only configurations may answer that read every buffer in the device's memory.
bool needs_memory_inputs(const KernelRequest& request, const Device& device);

// What the copies of a Kernel share: a recipe, and its code once that is loaded. Where that fails
// the source's next best recipe steps in, as long as a launch of it needs no more than the first
// announced.
class Kernel::State {
 public:
  // Asks the source at once, within prepare() where code does not load, and again if that threw.
  State(std::shared_ptr<Source> source, KernelRequest request, DeviceReport device);

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

  const DeviceReport device_;
  const KernelRequest request_;
  std::shared_ptr<Source> source_;  // until it is loaded
  KernelAttempt first_;
  const std::vector<KernelArgument> arguments_;
  std::mutex preparing_;
  std::optional<Recipe> stepped_down_to_;
  std::unique_ptr<Executable> executable_;
  Ready ready_;
  std::atomic<const Ready*> serving_ = nullptr;
};

// The kernels of a source by what was asked for. Kernels do not refer to this: they may outlive it.
// Safe to use from many threads.
class Kernels {
 public:
  explicit Kernels(std::shared_ptr<Kernel::Source> source) : source_(std::move(source)) {}

  // The first answer stands: requests that say the same share a kernel. Throws as Source::next,
  // MachineError for a device that is not there.
  Kernel kernel(KernelRequest request);

  // Forgets those of which there is no copy elsewhere. How many.
  std::size_t trim();

 private:
  Kernel add(const std::string& asked, const std::string& whole,
             const std::shared_ptr<Kernel::State>& made);

  const std::shared_ptr<Kernel::Source> source_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Kernel::State>> kernels_;
};

}  // namespace tilewright
