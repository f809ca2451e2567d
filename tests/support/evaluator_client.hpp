#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/worker/device_client.hpp"
#include "tuner/worker/serve.hpp"

namespace tilewright {

// Long enough for a busy machine, and short where something hangs on purpose.
inline constexpr std::chrono::milliseconds kPatient{120'000};
inline constexpr std::chrono::milliseconds kImpatient{2'000};

// A device process, behind which is an evaluator of this command.
inline std::unique_ptr<Evaluator> client_of(std::vector<std::string> command,
                                            std::chrono::milliseconds step,
                                            std::chrono::milliseconds open = kPatient) {
  DeviceClientOptions options;
  options.worker = TILEWRIGHT_WORKER;
  options.arguments =
      arguments_of({WorkerRole::Task::device, DeviceKind::host, {}, std::move(command)});
  options.limits = StepLimits::fixed_at(step);
  options.limits.open = open;
  return make_device_client(options);
}

inline SessionPlan evaluators_plan() {
  SessionPlan plan;
  plan.problems.push_back({{"scale", {{"n", 64}}}, {}, {}});
  plan.seed = 5;
  return plan;
}

inline KernelPlan configuration(const std::string& json) {
  KernelPlan kernel;
  kernel.code.assign(json.begin(), json.end());
  return kernel;
}

// What becomes of a trial.
inline Failure run_all(Evaluator& client, const std::string& json) {
  const auto loaded = client.load(configuration(json));
  if (!loaded.ok()) return loaded.failure();
  const auto verified = client.verify();
  if (!verified.ok()) return verified.failure();
  const auto timed = client.sample({});
  return timed.ok() ? Failure{Outcome::measured, ""} : timed.failure();
}

}  // namespace tilewright
