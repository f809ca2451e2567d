#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "tuner/host/launch/launcher.hpp"
#include "tuner/host/session/operands.hpp"
#include "tuner/verify/checked_problem.hpp"

namespace tilewright::host {

// Runs kernels that are not under trial, as run_fills() and right_answers() want it.
struct RunHelper {
  Launcher& launcher;
  void operator()(const Operands& operands, std::span<const std::uint8_t> code,
                  const std::map<std::string, std::string>& symbols,
                  const LaunchPlan& launches) const;
};

// Runs loaded kernels on a problem in every order of threads, and checks what each run left in
// memory. Adds to `sum`. Every failure is a TrialError; the problem's operands are then restored.
void verify(const CheckedProblem<Operands>& problem, const LaunchPlan& plan, const Kernels& kernels,
            const GuardedBuffer& workspace, const GuardedBuffer& prepared, Verification& sum);

}  // namespace tilewright::host
