#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/worker/channel.hpp"

namespace tilewright {

// How long one kind of step may take. The limit is `start` until a step of the kind has succeeded.
// After that it is 20 times the slowest success, and at least `floor`.
struct StepLimit {
  std::chrono::milliseconds start{20'000};
  std::chrono::milliseconds floor{5'000};
  enum class Kind { adapting, fixed } kind = Kind::adapting;  // fixed: always `start`

  static StepLimit fixed_at(std::chrono::milliseconds limit) { return {limit, limit, Kind::fixed}; }
};

// The limits of a device process. `open` is long, because a worker that cannot open ends the sweep.
struct StepLimits {
  StepLimit load, verify, sample;
  std::chrono::milliseconds open{300'000};
  // A kernel that hangs on a GPU uses no processor. On the host it does, so that a busy machine can
  // be told from it (Deadline).
  TimeLimit counts = TimeLimit::wall_time;

  // For load, verify and sample each.
  static StepLimits fixed_at(std::chrono::milliseconds limit) {
    const StepLimit each = StepLimit::fixed_at(limit);
    return {each, each, each};
  }
};

// The defaults.
StepLimits step_limits_for(DeviceKind kind);

// `slowest` is the slowest success so far; zero if there was none.
std::chrono::milliseconds limit_of(const StepLimit& limit, std::chrono::milliseconds slowest);

// By which a signal handler ends a step of load(), verify() or sample().
struct Skips {
  std::atomic<unsigned> asked{0};  // where it changes, each step that runs then is timed_out
  std::atomic<int> running{0};     // such steps
};

struct DeviceClientOptions {
  std::filesystem::path worker;  // the tilewright-worker program
  std::vector<std::string> arguments = {"device"};
  StepLimits limits;
  const std::atomic<bool>* stop = nullptr;  // once it is set, open() returns at once
  Skips* skips = nullptr;                   // null: no step can be skipped
};

// An Evaluator in a process of its own. If the worker dies, says something wrong (BadAnswer) or
// exceeds a limit, its step fails with `faulted` or `timed_out`, and the next step starts a new
// worker, which repeats open(). If a signal killed it that no kernel raises, that is
// `machine_failed`; open() then tries one more worker. What was timed while the program was stopped
// is timed again. The loaded kernel is lost with its worker, so verify() and sample() fail with
// `launch_failed`. Throws MachineError if a worker cannot start, DeviceLost if it cannot open or
// reports that the machine is broken, and InputError if the plan is unusable.
std::unique_ptr<Evaluator> make_device_client(DeviceClientOptions options);

}  // namespace tilewright
