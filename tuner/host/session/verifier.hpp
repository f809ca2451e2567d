#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/host/session/operands.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::host {

// A problem with everything that its answers are checked against.
struct CheckedProblem {
  std::string label;  // for messages: " on M=37 N=53"; empty for the tuned problem
  ReferencePlan rules;
  Operands operands;
  std::vector<Expected> answers;
};

// Runs the kernels that make contents of arguments. Throws MachineError if one of them fails.
void run_fills(const SessionProblem& problem, Operands& operands, Launcher& launcher);

// Right answers for every output of a problem, in the order of its arguments. They come from given
// files, from the built-in reference for as many elements as the limits allow, or from one run of
// the definition's reference kernel for all elements. Throws MachineError if that kernel fails.
std::vector<Expected> right_answers(const SessionProblem& problem, const Operands& operands,
                                    const CheckLimits& limits, std::uint64_t seed,
                                    Launcher& launcher);

// Runs loaded kernels on a problem in every order of threads, and checks what each run left in
// memory. Adds to `sum`. Every failure is a TrialError; the problem's operands are then restored.
void verify(const CheckedProblem& problem, const LaunchPlan& plan, const Kernels& kernels,
            const GuardedBuffer& workspace, Verification& sum);

}  // namespace tilewright::host
