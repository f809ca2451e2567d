// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/host/session/operands.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::host {

// A problem with all that its answers are judged by.
struct CheckedProblem {
  std::string label;  // for messages: " on M=37 N=53"; empty for the tuned problem
  ReferencePlan rules;
  Operands operands;
  std::vector<Expected> answers;
};

// Right answers for every output of a problem, in the order of its arguments: from the files that
// were given, from the built-in reference for as many elements as the limits allow, or from one run
// of the definition's reference kernel for all. Throws MachineError if the reference kernel fails.
std::vector<Expected> right_answers(const SessionProblem& problem, const Operands& operands,
                                    const CheckLimits& limits, std::uint64_t seed,
                                    Launcher& launcher);

// Runs loaded kernels on a problem in every order of threads and judges what each run left.
// Every failure is a TrialError, after which the problem is as it was. Adds to `sum`.
void verify(const CheckedProblem& problem, const LaunchPlan& plan, const Kernels& kernels,
            const GuardedBuffer& workspace, Verification& sum);

}  // namespace tilewright::host
