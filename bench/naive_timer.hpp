// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "tuner/backend/evaluator.hpp"

namespace tilewright::bench {

// Launches in one naive measurement.
inline constexpr int kNaiveLaunches = 7;

// Times as is often done: a kernel is loaded and launched a few times on one set of operands, and
// the mean is its time, the first launch included.
class NaiveTimer {
 public:
  virtual ~NaiveTimer() = default;
  // Microseconds of a call. The answers are not looked at.
  virtual Attempt<double> mean_us(const KernelPlan& kernel) = 0;
};

// Each launch between two events on a stream.
std::unique_ptr<NaiveTimer> naive_cuda_timer(const SessionProblem& problem, int device,
                                             std::uint64_t seed);
// Each call between two readings of the clock.
std::unique_ptr<NaiveTimer> naive_host_timer(const SessionProblem& problem, std::uint64_t seed);

}  // namespace tilewright::bench
