#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/worker/step_limits.hpp"

namespace tilewright {

struct DeviceClientOptions {
  std::filesystem::path worker;  // the tilewright-worker program
  std::vector<std::string> arguments = {"device"};
  StepLimits limits;
  const std::atomic<bool>* stop = nullptr;  // once it is set, open() returns at once
};

// An Evaluator in a process of its own. If the worker dies or exceeds a limit, its step fails with
// `faulted` or `timed_out`, and the next step starts a new worker, which repeats open(). If a
// signal killed it that no kernel raises, Failure::cause says so; open() then tries one more
// worker. The loaded kernel is lost with its worker, so verify() and sample() fail with
// `launch_failed`. Throws MachineError if a worker cannot start or cannot open, and InputError if
// the plan is unusable.
class DeviceClient final : public Evaluator {
 public:
  explicit DeviceClient(DeviceClientOptions options);
  ~DeviceClient() override;

  void open(const SessionPlan& plan) override;
  Attempt<Resources> load(const KernelPlan& kernel) override;
  Attempt<Verification> verify() override;
  Attempt<Timing> sample(const SampleRequest& request) override;

  int restarts() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
