#include <algorithm>
#include <chrono>

#include "bench/trust/naive_timer.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/host/launch/launcher.hpp"
#include "tuner/host/session/operands.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::bench {
namespace {

class HostTimer final : public NaiveTimer {
 public:
  HostTimer(const SessionProblem& problem, std::uint64_t seed)
      : operands_(problem.buffers, seed, kGuardBytes) {}

  Attempt<double> mean_us(const KernelPlan& kernel) override {
    try {
      return measure(kernel);
    } catch (const TrialError& error) {
      return error.failure();
    }
  }

 private:
  double measure(const KernelPlan& kernel) {
    const LaunchPlan& plan = kernel.launches.front();
    const host::Kernels kernels(kernel.code, kernel.symbols, launcher_);
    const host::GuardedBuffer workspace(plan.workspace_bytes, kGuardBytes);
    std::ranges::fill(workspace.bytes(), std::uint8_t{0});
    const CallOperands call = operands_.call({workspace.data()});
    kernels.check_launches(plan, call);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kNaiveLaunches; ++i) kernels.call(plan, call, {});
    const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - start;
    return all.count() / kNaiveLaunches;
  }

  host::Launcher launcher_;
  host::Operands operands_;
};

}  // namespace

std::unique_ptr<NaiveTimer> naive_host_timer(const SessionProblem& problem, std::uint64_t seed) {
  return std::make_unique<HostTimer>(problem, seed);
}

}  // namespace tilewright::bench
