// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tilewright/trial.hpp"
#include "tuner/backend/launch_plan.hpp"
#include "tuner/cuda/device/memory.hpp"

namespace tilewright::cuda {

// What one call works on: for each argument of the operation a device pointer (buffers) or the
// bytes as the kernel takes them (scalars, arrays; also inputs that are small enough to be passed
// by value), and the workspace. Refers, does not own.
struct CallOperands {
  std::span<void* const> pointers;
  std::span<const std::vector<std::uint8_t>> values;
  std::uint8_t* workspace = nullptr;
};

// Grid, block and dynamic shared memory of a launch, and its cluster. Throws TrialError for what
// cannot be launched.
cudaLaunchConfig_t launch_config(const PlannedLaunch& launch);
dim3 cluster_of(const PlannedLaunch& launch);

// The kernels of one compiled code, ready to launch on one device. Every method throws
// TrialError for what the driver refuses.
class Kernels {
 public:
  // Loads `code`, finds every symbol, and opts in to the dynamic shared memory and cluster
  // sizes that `plans` need. Loading is complete on return: nothing is left to the first launch.
  Kernels(std::span<const std::uint8_t> code, const std::map<std::string, std::string>& symbols,
          std::span<const LaunchPlan> plans, int device);

  // Refuses launches that are no launches (a grid of 0 blocks) or whose arguments are not what
  // the kernel declares. Before the first call.
  void check_launches(const LaunchPlan& plan, const CallOperands& operands) const;

  // The same for parameters of these sizes.
  void check_parameters(const PlannedLaunch& launch, const std::vector<std::size_t>& sizes) const;

  // Enqueues all launches of one call, clearing the workspace first where the plan says so.
  void call(const LaunchPlan& plan, const CallOperands& operands, cudaStream_t stream) const;

  // The loader's truth about the launch that leaves the fewest blocks resident on an SM (of
  // equal ones the one with the most threads).
  Resources resources(const LaunchPlan& plan, int device) const;

  cudaKernel_t kernel(const std::string& entry) const;

 private:
  void launch(const PlannedLaunch& launch, const CallOperands& operands, cudaStream_t stream) const;

  CodeLibrary library_;
  std::map<std::string, cudaKernel_t> kernels_;  // by entry; they belong to library_
};

}  // namespace tilewright::cuda
