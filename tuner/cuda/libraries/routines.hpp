#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "tuner/backend/backend.hpp"
#include "tuner/backend/executable.hpp"

namespace tilewright::cuda {

// A routine of a library for one problem and configuration, on the device that was current when it
// was made. Everything that a call does not change is made before the first call. Thread-safe.
class Routine {
 public:
  virtual ~Routine() = default;

  // Enqueues one call, whose workspace has the bytes that the routine was made with. It can be
  // captured into a graph. Throws TrialError (launch_failed) if the library refuses.
  virtual void call(const LaunchPlan& plan, const CallOperands& operands,
                    cudaStream_t stream) const = 0;
};

using Folders = std::vector<std::filesystem::path>;

// `folders` are where the library is searched first (SharedLibrary). Throws TrialError
// (launch_failed) without the library, or if it refuses the problem or the configuration.
std::unique_ptr<const Routine> make_routine(const LaunchPlan& plan, const Folders& folders);

// The configurations that the library says can compute the problem on the current device.
RoutineList list_routine(const PlannedRoutine& problem, const Folders& folders);

// Of every routine that we know.
std::vector<RoutineLibrary> routine_libraries(const Folders& folders);

}  // namespace tilewright::cuda
