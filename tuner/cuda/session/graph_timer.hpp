#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "tuner/cuda/device/memory.hpp"
#include "tuner/cuda/session/service_kernels.hpp"

namespace tilewright::cuda {

// Times work that is captured into a graph: our own and, for comparisons, that of other libraries.
// Every failure is a TrialError.
class GraphTimer {
 public:
  // With a probe, its delay kernel runs before each replay, so that the time does not include the
  // host's submission. `stream` and `probe` (may be null) must outlive the timer.
  GraphTimer(cudaStream_t stream, const ServiceKernels* probe);

  // Captures what submit(0), …, submit(calls − 1) enqueue on the stream; this replaces the earlier
  // capture. They may not allocate or synchronise.
  void capture(int calls, const std::function<void(int)>& submit);

  // Captures as many calls as a sample of the request has, and returns their number. It is a
  // multiple of `sets`, so that all sets of operands are rotated, unless calls are long. Graphs of
  // one call and of one call for each set are run first: they warm up and give the estimate.
  int capture_sample(const SampleRequest& request, int sets,
                     const std::function<void(int)>& submit);

  // Captures, and takes the samples of a request. The SM clock is known only with a probe.
  Timing sample(const SampleRequest& request, int sets, const std::function<void(int)>& submit);

  // Runs the captured graph once and waits for it. Returns its time on the device in microseconds.
  double replay() const;

 private:
  cudaStream_t stream_;
  const ServiceKernels* probe_;
  Event start_, stop_;
  GraphExec executable_;
};

}  // namespace tilewright::cuda
