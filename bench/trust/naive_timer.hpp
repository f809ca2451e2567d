#pragma once

#include <cstdint>
#include <memory>

#include "tuner/backend/evaluator.hpp"

namespace tilewright::bench {

// The number of launches in one naive measurement.
inline constexpr int kNaiveLaunches = 7;

// Times a kernel as is often done: it is loaded and launched a few times on one set of operands.
// Its time is the mean of all launches, including the first.
class NaiveTimer {
 public:
  virtual ~NaiveTimer() = default;
  // The time of a call in microseconds. The answers are not checked.
  virtual Attempt<double> mean_us(const KernelPlan& kernel) = 0;
};

// Each launch between two events on a stream.
std::unique_ptr<NaiveTimer> naive_cuda_timer(const SessionProblem& problem, int device,
                                             std::uint64_t seed);
// Each call between two readings of the clock.
std::unique_ptr<NaiveTimer> naive_host_timer(const SessionProblem& problem, std::uint64_t seed);

}  // namespace tilewright::bench
