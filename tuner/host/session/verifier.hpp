#pragma once

#include "tuner/host/launch/launcher.hpp"
#include "tuner/host/session/operands.hpp"
#include "tuner/verify/checked_problem.hpp"

namespace tilewright::host {

// Runs the kernels that make contents of arguments. Throws MachineError if one of them fails.
void run_fills(const SessionProblem& problem, Operands& operands, Launcher& launcher);

// As tilewright::right_answers. A reference kernel gives all elements.
RightAnswers right_answers(const SessionProblem& problem, const Operands& operands,
                           const SessionPlan& plan, Launcher& launcher);

// Runs loaded kernels on a problem in every order of threads, and checks what each run left in
// memory. Adds to `sum`. Every failure is a TrialError; the problem's operands are then restored.
void verify(const CheckedProblem<Operands>& problem, const LaunchPlan& plan, const Kernels& kernels,
            const GuardedBuffer& workspace, Verification& sum);

}  // namespace tilewright::host
