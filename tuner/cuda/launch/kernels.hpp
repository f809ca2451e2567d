#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/backend/executable.hpp"
#include "tuner/cuda/device/memory.hpp"
#include "tuner/cuda/libraries/routines.hpp"

namespace tilewright::cuda {

// Grid, block and dynamic shared memory of a launch. Throws TrialError for what cannot be launched.
cudaLaunchConfig_t launch_config(const PlannedLaunch& launch);

// What a launch has besides: clusters of several blocks, that it may begin early, and that all its
// blocks run at the same time.
struct LaunchAttributes {
  std::array<cudaLaunchAttribute, 8> list = {};
  unsigned int count = 0;

  // The configuration points to the list, which must outlive it.
  void add_to(cudaLaunchConfig_t& config) {
    config.attrs = list.data();
    config.numAttrs = count;
  }
};
// A device below kFirstCapabilityWithDependentLaunch ignores dependent_launch. Throws TrialError
// for a cluster that cannot be launched.
LaunchAttributes launch_attributes(const PlannedLaunch& launch, int compute_capability);

// The kernels of one compiled code, ready to launch on one device. Every method throws TrialError
// if the driver refuses.
class Kernels {
 public:
  // Loads `code`, finds every symbol, and opts in to the dynamic shared memory and cluster sizes
  // that `plans` need. Loading is complete on return, so the first launch loads nothing. A plan of
  // a routine, of which there is at most one, needs no code, but its library, which is searched in
  // `folders` first (SharedLibrary).
  Kernels(std::span<const std::uint8_t> code, const std::map<std::string, std::string>& symbols,
          std::span<const LaunchPlan> plans, int device,
          const std::vector<std::filesystem::path>& folders = {});
  // Plans that have a routine call this one.
  Kernels(std::unique_ptr<const Routine> routine, int device);

  // The plan as it can be launched: its grids are numbers, and its loops are written out. Refuses
  // cooperative launches of more blocks than the device holds at once, and clusters of which it
  // holds none.
  LaunchPlan ready(LaunchPlan plan) const;

  // Takes ready plans, as the functions below do. Refuses impossible launches (such as a grid of 0
  // blocks) and arguments that differ from what the kernel declares. To be called before the first
  // call().
  void check_launches(const LaunchPlan& plan, const CallOperands& operands) const;

  // Refuses a launch if the kernel declares parameters of other sizes. `sizes` are those of the
  // operation's arguments as a kernel takes them, in bytes.
  void check_parameters(const PlannedLaunch& launch, std::span<const std::int64_t> sizes) const;

  // Refuses a plan that fills variables that the code does not have, or has with fewer bytes.
  void check_constants(const LaunchPlan& plan) const;

  // Enqueues copies of the arguments to the variables that the plan fills. To be called before
  // call(), and again when the arguments have changed.
  void fill_constants(const LaunchPlan& plan, std::span<const CallArgument> arguments,
                      cudaStream_t stream) const;

  // Enqueues all launches of one call, clearing the workspace first where the plan says so, or
  // those of the preparation.
  void call(const LaunchPlan& plan, const CallOperands& operands, cudaStream_t stream,
            CallPart part = CallPart::call) const;

  // What the loaded code takes, for the launch with the fewest blocks resident on an SM; among
  // equals, for the one with the most threads.
  Resources resources(const LaunchPlan& plan, int device) const;

  cudaKernel_t kernel(const std::string& entry) const;
  LaunchAttributes attributes(const PlannedLaunch& launch) const {
    return launch_attributes(launch, compute_capability_);
  }

 private:
  // A variable of the code in device memory.
  struct Variable {
    void* address = nullptr;
    std::size_t bytes = 0;
  };

  // How many blocks of the launch the device holds at once.
  std::int64_t resident_blocks(const PlannedLaunch& launch) const;
  void check_resident(const PlannedLaunch& launch) const;

  std::vector<CodeLibrary> libraries_;           // one for each unit of the code
  std::map<std::string, cudaKernel_t> kernels_;  // by entry; they belong to libraries_
  std::map<std::string, Variable> variables_;    // by constant_key()
  std::unique_ptr<const Routine> routine_;       // in place of all these
  int device_;
  int compute_capability_;  // of the device
};

// Loads a cubin into the calling thread's current context if that belongs to the plan's device,
// else into the device's primary context. The thread's current context stays the same. Throws
// MachineError if there is no such device, the code does not load, or a launch does not match its
// kernel's parameters.
std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan);

}  // namespace tilewright::cuda
