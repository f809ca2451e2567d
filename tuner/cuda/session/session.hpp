// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::cuda {

struct SessionOptions {
  // On each side of every buffer. 0 leaves bounds to compute-sanitizer, which then sees every
  // byte beyond a buffer as not ours.
  std::int64_t guard_bytes = kGuardBytes;
  // callers: what is current for the calling thread now is current again once the session is gone.
  enum class CurrentDevice { ours, callers } current_device = CurrentDevice::ours;
};

// An Evaluator on a CUDA device of this process. A fault leaves the device unusable for the
// process: run it in a worker (tuner/worker). Verifies on poisoned outputs between guard zones,
// times by captured graphs (docs/measurement.md).
std::unique_ptr<Evaluator> make_session(const SessionOptions& options = {});

// Source of a session's own kernels (clocks, a delay before timed graphs, checksums of inputs);
// compiled once per sweep for the device's architecture, with these entries.
std::string probe_source();
std::vector<std::string> probe_entries();

}  // namespace tilewright::cuda
