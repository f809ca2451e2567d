#include "tuner/cuda/session/graph_timer.hpp"

#include <algorithm>
#include <exception>

#include "tuner/measure/sampling.hpp"

namespace tilewright::cuda {

GraphTimer::GraphTimer(cudaStream_t stream, const ServiceKernels* probe)
    : stream_(stream), probe_(probe), start_(make_event()), stop_(make_event()) {}

GraphExec GraphTimer::captured(int first) const {
  check_trial(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
  std::exception_ptr failure;
  try {
    for (int call = first; call < first + calls_; ++call) submit_(call);
  } catch (...) {
    failure = std::current_exception();  // end the capture first
  }
  cudaGraph_t captured = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream_, &captured);
  const Graph graph(captured);
  if (failure) {
    swallow(ended);
    std::rethrow_exception(failure);
  }
  check_trial(ended, "capture");
  cudaGraphExec_t executable = nullptr;
  check_trial(cudaGraphInstantiate(&executable, graph.get(), 0), "instantiating the graph");
  GraphExec ready(executable);
  check_trial(cudaGraphUpload(ready.get(), stream_), "uploading the graph");
  return ready;
}

void GraphTimer::capture(int calls, const std::function<void(int)>& submit, int graphs) {
  graphs_.clear();
  graphs_.resize(static_cast<std::size_t>(graphs));
  next_ = 0;
  calls_ = calls / graphs;
  submit_ = submit;
}

int GraphTimer::capture_sample(const SampleRequest& request, int sets,
                               const std::function<void(int)>& submit) {
  capture(1, submit);
  double call_us = replay();
  if (call_us > request.long_us)
    call_us = std::min(call_us, replay());  // the host may have been slow
  if (call_us > request.long_us) return 1;  // refilling the L2 takes only microseconds
  call_us = std::min(call_us, replay());
  if (const int part = calls_per_part(call_us, request.sample_us, sets)) {
    const int graphs = (sets + part - 1) / part;
    const int even = (sets + graphs - 1) / graphs;  // the last graph hardly wraps around
    capture(graphs * even, submit, graphs);
    return even;
  }
  if (sets > 1) capture(sets, submit);
  if (call_us > 2 * request.sample_us) return sets;  // the first of them will be discarded
  if (sets > 1) replay();
  const double round_us = replay();
  const int calls = calls_per_sample(round_us / sets, request.sample_us, sets);
  if (calls != sets) capture(calls, submit);
  return calls;
}

Timing GraphTimer::sample(const SampleRequest& request, int sets,
                          const std::function<void(int)>& submit) {
  const int calls = capture_sample(request, sets, submit);
  if (probe_ != nullptr) probe_->mark_start();
  Timing timing = take_samples(request, calls, [this] { return replay(); });
  if (probe_ == nullptr) return timing;
  probe_->mark_end();
  timing.sm_mhz = probe_->megahertz();
  return timing;
}

double GraphTimer::replay() {
  constexpr const char* kTimedRun = "timed run";
  GraphExec& graph = graphs_[next_];
  if (graph.get() == nullptr) graph = captured(static_cast<int>(next_) * calls_);
  next_ = (next_ + 1) % graphs_.size();
  if (probe_ != nullptr) probe_->hold();
  check_trial(cudaEventRecord(start_.get(), stream_), kTimedRun);
  check_trial(cudaGraphLaunch(graph.get(), stream_), kTimedRun);
  check_trial(cudaEventRecord(stop_.get(), stream_), kTimedRun);
  check_trial(cudaEventSynchronize(stop_.get()), kTimedRun);
  float milliseconds = 0;
  check_trial(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()), kTimedRun);
  return 1e3 * static_cast<double>(milliseconds);
}

}  // namespace tilewright::cuda
