#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/backend/executable.hpp"
#include "tuner/plan/failure.hpp"

namespace tilewright {

// What a session calls in place of kernels: functions of operands that the process has whose
// evaluator it is (docs/evaluator.md). The session has the operands, checks what the functions
// leave in them, and times the functions as it times kernels.
class Callable {
 public:
  virtual ~Callable() = default;

  // What the session was opened with. Its problems are known by their numbers from now on.
  virtual void open(const SessionPlan& plan) = 0;

  // Makes the function of a configuration for a problem, in place of an earlier one. Returns the
  // resources that are known. `configuration` is KernelPlan::code.
  virtual Attempt<Resources> prepare(std::size_t problem,
                                     std::span<const std::uint8_t> configuration) = 0;

  // Enqueues one call on the stream, or is done on return where the device has no streams. Throws
  // TrialError.
  virtual void call(std::size_t problem, std::span<const CallArgument> operands, void* stream) = 0;
};

// Prepares the function for each problem that the kernel has launches for, and puts calls of it in
// their place. Returns the resources for the first. Throws TrialError.
inline Resources prepare(Callable& callable, const KernelPlan& kernel,
                         std::vector<LaunchPlan>& plans) {
  Resources first;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].is_empty()) continue;
    const auto prepared = callable.prepare(i, kernel.code);
    if (!prepared.ok()) throw TrialError(prepared.failure());
    if (i == 0) first = prepared.value();
    plans[i] = {};
    plans[i].routine = {"callable", {{"problem", static_cast<std::int64_t>(i)}}, {}};
  }
  return first;
}

// One call as a plan of prepare() has it.
inline void call(Callable& callable, const LaunchPlan& plan, const CallOperands& operands,
                 void* stream) {
  const auto problem = std::get<std::int64_t>(plan.routine.values.at("problem"));
  callable.call(static_cast<std::size_t>(problem), operands.arguments, stream);
}

}  // namespace tilewright
