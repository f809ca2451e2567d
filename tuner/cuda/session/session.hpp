#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tuner/backend/backend.hpp"
#include "tuner/backend/callable.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::cuda {

struct SessionOptions {
  // Of the guard zone on each side of every buffer. 0 leaves the bounds to compute-sanitizer: it
  // reports every access beyond a buffer only if no guard zone is allocated there.
  std::int64_t guard_bytes = kGuardBytes;
  // callers: the calling thread's current device becomes current again when the session ends.
  enum class CurrentDevice { ours, callers } current_device = CurrentDevice::ours;
  std::vector<std::filesystem::path> folders = {};  // searched first for libraries of routines
  Callable* callable = nullptr;  // is called in place of code, and outlives the session
};

// An Evaluator on a CUDA device of this process. After a fault the process can no longer use the
// device, so run the evaluator in a worker (tuner/worker). It verifies on poisoned outputs between
// guard zones, and times by captured graphs (docs/measurement.md).
std::unique_ptr<Evaluator> make_session(const SessionOptions& options = {});

// Source and entries of a session's own kernels: clocks, a delay before timed graphs, checksums of
// inputs. Each sweep compiles them once for the device's architecture.
std::string probe_source();
std::vector<std::string> probe_entries();

// What a sweep on this GPU needs: its architecture, the clock probe, the occupancy calculator.
BackendFacts backend_facts(const Device& device);

}  // namespace tilewright::cuda
