#pragma once

#include <chrono>

#include "tilewright/device.hpp"

namespace tilewright {

// How long one kind of step may take. The limit is `start` until a step of the kind has succeeded.
// After that it is 20 times the slowest success, and at least `floor`.
struct StepLimit {
  std::chrono::milliseconds start{30'000};
  std::chrono::milliseconds floor{5'000};
  enum class Kind { adapting, fixed } kind = Kind::adapting;  // fixed: always `start`

  static StepLimit fixed_at(std::chrono::milliseconds limit);
};

// The limits of a device process. `open` is long, because a worker that cannot open ends the sweep.
struct StepLimits {
  StepLimit load, verify, sample;
  std::chrono::milliseconds open{300'000};

  static StepLimits fixed_at(std::chrono::milliseconds limit);  // for load, verify and sample each
};

// The defaults.
StepLimits step_limits_for(DeviceKind kind);

// `slowest` is the slowest success so far; zero if there was none.
std::chrono::milliseconds limit_of(const StepLimit& limit, std::chrono::milliseconds slowest);

}  // namespace tilewright
