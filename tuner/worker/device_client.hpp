// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
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
  const std::atomic<bool>* stop = nullptr;  // when set, open() is left at once
};

// An Evaluator in a process of its own. A worker that dies or outlives a limit becomes a
// Failure (faulted, timed_out) of the step it was in; the next step starts a new worker, which
// replays open. One that was killed by a signal that no kernel raises says so in Failure::cause;
// in open it is replaced once. The loaded kernel goes with its worker: verify and sample then
// fail with launch_failed. Throws MachineError when a worker cannot be started or cannot open,
// InputError when the plan cannot be used.
class DeviceClient final : public Evaluator {
 public:
  explicit DeviceClient(DeviceClientOptions options);
  ~DeviceClient() override;

  void open(const SessionPlan& plan) override;
  Attempt<Resources> load(const KernelPlan& kernel) override;
  Attempt<Verification> verify() override;
  Attempt<Timing> sample(const SampleRequest& request) override;
  void unload() override;

  // Workers started after the first.
  int restarts() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
