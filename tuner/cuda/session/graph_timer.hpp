// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "tuner/cuda/device/memory.hpp"
#include "tuner/cuda/session/service_kernels.hpp"

namespace tilewright::cuda {

// Times work that is captured into a graph: ours and, for comparisons, a peer's. Every failure
// is a TrialError.
class GraphTimer {
 public:
  // With a probe, its delay precedes each replay, so that the host's submission is not part of
  // the time. `stream` and `probe` must outlive the timer.
  GraphTimer(cudaStream_t stream, const ServiceKernels* probe);

  // Captures what submit(0), …, submit(calls − 1) enqueue on the stream, in place of what was
  // captured before. They may not allocate or synchronise.
  void capture(int calls, const std::function<void(int)>& submit);

  // Captures as many calls as a sample of the request has, so many sets of operands being rotated
  // unless calls are long; first graphs of one call and of a round over the sets give the estimate
  // and warm up. Returns the calls.
  int capture_sample(const SampleRequest& request, int sets,
                     const std::function<void(int)>& submit);

  // Captures and takes the samples of a request. The SM's clock is known only with a probe.
  Timing sample(const SampleRequest& request, int sets, const std::function<void(int)>& submit);

  // Runs the captured graph once and waits; its length on the device in microseconds.
  double replay() const;

 private:
  cudaStream_t stream_;
  const ServiceKernels* probe_;
  Event start_, stop_;
  GraphExec executable_;
};

}  // namespace tilewright::cuda
