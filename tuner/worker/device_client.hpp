// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/backend/evaluator.hpp"

namespace tilewright {

struct DeviceClientOptions {
  std::filesystem::path worker;  // the tilewright-worker program
  std::vector<std::string> arguments = {"device"};
  std::chrono::milliseconds open_limit{300'000};
  std::chrono::milliseconds step_limit{30'000};  // load, verify, sample, each
};

// An Evaluator in a process of its own. A worker that dies or outlives a limit becomes a
// Failure (faulted, timed_out) of the step it was in; the next step starts a new worker, which
// replays open. The loaded kernel goes with its worker: verify and sample then fail with
// launch_failed. Throws MachineError when a worker cannot be started or cannot open, InputError
// when the plan cannot be used.
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
