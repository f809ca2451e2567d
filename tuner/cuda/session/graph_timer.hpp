#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <vector>

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

  // From now on replays what submit(0), …, submit(calls − 1) enqueue on the stream, as `graphs`
  // graphs of calls / graphs calls each, in turn. They may not allocate or synchronise. Each graph
  // is captured when its turn first comes (few samples need few of them), so what `submit` refers
  // to must live until the last replay.
  void capture(int calls, const std::function<void(int)>& submit, int graphs = 1);

  // Captures as many calls as samples of the request need, and returns the number in one sample. It
  // is a multiple of `sets`, so that all sets of operands are rotated, unless that takes long: then
  // each sample has a part of the rotation (calls_per_part()). A graph of one call and,
  // unless calls are long or samples have parts, one of a call for each set are run first: they
  // warm up and give the estimate.
  int capture_sample(const SampleRequest& request, int sets,
                     const std::function<void(int)>& submit);

  // Captures, and takes the samples of a request. The SM clock is known only with a probe.
  Timing sample(const SampleRequest& request, int sets, const std::function<void(int)>& submit);

  // Runs the graph, or the next one of several, and waits for it. Returns its time on the
  // device in microseconds.
  double replay();

 private:
  // The calls from `first` on, as one graph.
  GraphExec captured(int first) const;

  cudaStream_t stream_;
  const ServiceKernels* probe_;
  Event start_, stop_;
  std::function<void(int)> submit_;
  int calls_ = 0;                  // of each graph
  std::vector<GraphExec> graphs_;  // empty: not captured yet
  std::size_t next_ = 0;           // of them to run
};

}  // namespace tilewright::cuda
