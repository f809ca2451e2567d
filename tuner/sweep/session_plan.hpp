#pragma once

#include <vector>

#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// Whether the definition has a reference. If not, the caller of a sweep must give right answers.
bool has_reference(const Operation& operation);

// The tuned problem, then the operation's checks. A check is the tuned problem with the check's
// values, except those that an implementation compiles in. If only some configurations compile a
// value in, there is a problem with and one without it. If the operation has no reference, there is
// only the tuned problem.
std::vector<Problem> problems_to_verify(const SweepRequest& request);

// A session for those problems. `reference_code` is the compiled reference kernel if the operation
// has one, and `probe_code` the compiled clock probe.
SessionPlan plan_session(const SweepRequest& request, const std::vector<Problem>& problems,
                         const CompileResult& reference_code, std::vector<std::uint8_t> probe_code);

// A configuration's launches on one problem. Throws InputError.
LaunchPlan plan_problem(const SweepRequest& request, const Implementation& implementation,
                        const Configuration& configuration, const Problem& problem);

// A configuration's launches on each of those problems. A check gets an empty plan if it breaks one
// of the implementation's constraints or limits, or needs different code.
KernelPlan plan_kernel(const SweepRequest& request, const Implementation& implementation,
                       const Configuration& configuration, const std::vector<Problem>& problems,
                       const CompileResult& code);

}  // namespace tilewright
