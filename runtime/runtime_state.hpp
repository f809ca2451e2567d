// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/catalog/size_memo.hpp"
#include "db/catalog/state.hpp"
#include "runtime/bundle/bundle_kernels.hpp"
#include "runtime/code_source.hpp"
#include "runtime/launch/kernel_memo.hpp"
#include "runtime/launch/kernel_state.hpp"
#include "tilewright/runtime.hpp"
#include "tuner/backend/device_report.hpp"

namespace tilewright {

// What kernels of a runtime are made from, and share with it. Safe to use from many threads.
class KernelMaker : public std::enable_shared_from_this<KernelMaker> {
 public:
  explicit KernelMaker(RuntimeOptions options);

  Catalog::State& catalog() { return *catalog_; }

  Environment environment(const DeviceReport& device);

  // Looked up anew. Throws as Runtime::kernel.
  std::shared_ptr<Kernel::State> make(const KernelRequest& request, const DeviceReport& device);

 private:
  using Failed = std::span<const FailedAttempt>;

  // The best but for those; nothing: no other is left. Throws where there has been none.
  std::optional<KernelAttempt> best_attempt(const KernelRequest& request,
                                            const DeviceReport& device, Failed failed);
  std::optional<Answer> look_up(const KernelRequest& request, const DeviceReport& device,
                                Failed failed);
  KernelAttempt attempt_of(const Answer& answer, const DeviceReport& device);
  // A bundle's, where it holds the problem and is no weaker than the answer, else where it is
  // better.
  std::optional<KernelAttempt> bundled_attempt(const KernelRequest& request, const Problem& problem,
                                               const std::optional<Answer>& answer,
                                               const DeviceReport& device, Failed failed) const;
  std::optional<KernelAttempt> other_bundled_attempt(const KernelRequest& request,
                                                     const Problem& problem,
                                                     const std::optional<Answer>& answer,
                                                     const DeviceReport& device,
                                                     Failed failed) const;
  // A bundle's code for just these launches: definitions may have changed since it was made.
  std::optional<RecipeCode> bundled_code(const Recipe& recipe) const;

  const std::shared_ptr<Catalog::State> catalog_;
  const bool has_results_;  // that may be stale
  std::vector<std::shared_ptr<const BundleKernels>> bundles_;
  CodeSource codes_;
};

// Kernels by request.
class Runtime::State {
 public:
  explicit State(RuntimeOptions options);

  KernelMaker& maker() { return *maker_; }
  Kernel kernel(const KernelRequest& request);
  std::size_t trim() { return kernels_.trim(); }

 private:
  const std::shared_ptr<KernelMaker> maker_;
  KernelMemo kernels_;  // by all that a request says
};

class KernelsBySize::State {
 public:
  // Throws InputError, MachineError.
  State(std::shared_ptr<Runtime::State> runtime, KernelRequest request,
        std::vector<std::string> dimensions);

  const Kernel& at(std::span<const std::int64_t> sizes);

 private:
  const std::shared_ptr<Runtime::State> runtime_;
  const KernelRequest request_;
  const std::vector<std::string> dimensions_;
  SizeMemo<Kernel> memo_;
};

}  // namespace tilewright
