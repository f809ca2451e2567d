// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "tilewright/device.hpp"

namespace tilewright {

// How long one kind of step may take: `start` until one of the kind has succeeded, then 20 times
// its slowest success, but never less than `floor`.
struct StepLimit {
  std::chrono::milliseconds start{30'000};
  std::chrono::milliseconds floor{5'000};
  enum class Kind { adapting, fixed } kind = Kind::adapting;  // fixed: `start` for ever

  static StepLimit fixed_at(std::chrono::milliseconds limit);
};

// Of a device process. A worker that cannot open is a broken machine, so that there is nothing
// to be gained by hurrying it.
struct StepLimits {
  StepLimit load, verify, sample;
  std::chrono::milliseconds open{300'000};

  static StepLimits fixed_at(std::chrono::milliseconds limit);  // load, verify, sample, each
};

// Where nothing else is asked for.
StepLimits step_limits_for(DeviceKind kind);

// `slowest`: of the successes so far; zero: there was none.
std::chrono::milliseconds limit_of(const StepLimit& limit, std::chrono::milliseconds slowest);

}  // namespace tilewright
