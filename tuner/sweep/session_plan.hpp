// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// Whether the definition itself says what is right. Where it does not, only who brings right
// answers along can sweep the operation.
bool has_reference(const Operation& operation);

// The tuned problem and, after it, the operation's checks: each check's values laid over the
// tuned problem, except those that an implementation compiles in (they keep the tuned value).
// Where only some configurations compile a value in, both problems are there. The tuned problem
// alone where the operation has no reference.
std::vector<Problem> problems_to_verify(const SweepRequest& request);

// A session for those problems. `reference_code` is the compiled reference kernel where the
// operation has one; `probe_code` the compiled clock probe.
SessionPlan plan_session(const SweepRequest& request, const std::vector<Problem>& problems,
                         const CompileResult& reference_code, std::vector<std::uint8_t> probe_code);

// A configuration's launches on one problem. Throws InputError.
LaunchPlan plan_problem(const SweepRequest& request, const Implementation& implementation,
                        const Configuration& configuration, const Problem& problem);

// A configuration's launches on each of those problems; a check that breaks one of the
// implementation's constraints or limits, or needs other code, gets an empty plan.
KernelPlan plan_kernel(const SweepRequest& request, const Implementation& implementation,
                       const Configuration& configuration, const std::vector<Problem>& problems,
                       const CompileResult& code);

}  // namespace tilewright
