#include "bench/trust/naive_timer.hpp"
#include "tuner/cuda/device/check.hpp"
#include "tuner/cuda/device/memory.hpp"
#include "tuner/cuda/launch/kernels.hpp"
#include "tuner/cuda/session/operands.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::bench {
namespace {

// Must be called before anything is allocated on the device.
cuda::Stream stream_on(int device) {
  cuda::check(cudaSetDevice(device), "use the device");
  return cuda::make_stream();
}

class CudaTimer final : public NaiveTimer {
 public:
  CudaTimer(const SessionProblem& problem, int device, std::uint64_t seed)
      : device_(device),
        stream_(stream_on(device)),
        start_(cuda::make_event()),
        stop_(cuda::make_event()),
        operands_(problem.buffers, seed, kGuardBytes, stream_.get()) {}

  Attempt<double> mean_us(const KernelPlan& kernel) override {
    try {
      return measure(kernel);
    } catch (const TrialError& error) {
      return error.failure();
    }
  }

 private:
  double measure(const KernelPlan& kernel) const {
    const LaunchPlan& plan = kernel.launches.front();
    const cuda::Kernels kernels(kernel.code, kernel.symbols, {&plan, 1}, device_);
    cuda::GuardedBuffer workspace;
    if (plan.workspace_bytes > 0) {
      workspace = cuda::GuardedBuffer(plan.workspace_bytes, kGuardBytes);
      workspace.fill(0, stream_.get(), "clearing the workspace");
    }
    const CallOperands call = operands_.call({workspace.data()});
    kernels.check_launches(plan, call);
    double sum_us = 0;
    for (int i = 0; i < kNaiveLaunches; ++i) {
      cuda::check_trial(cudaEventRecord(start_.get(), stream_.get()), "timed run");
      kernels.call(plan, call, stream_.get());
      cuda::check_trial(cudaEventRecord(stop_.get(), stream_.get()), "timed run");
      cuda::check_trial(cudaEventSynchronize(stop_.get()), "timed run");
      float milliseconds = 0;
      cuda::check_trial(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()),
                        "timed run");
      sum_us += 1e3 * static_cast<double>(milliseconds);
    }
    return sum_us / kNaiveLaunches;
  }

  int device_;
  cuda::Stream stream_;
  cuda::Event start_;
  cuda::Event stop_;
  cuda::Operands operands_;
};

}  // namespace

std::unique_ptr<NaiveTimer> naive_cuda_timer(const SessionProblem& problem, int device,
                                             std::uint64_t seed) {
  return std::make_unique<CudaTimer>(problem, device, seed);
}

}  // namespace tilewright::bench
