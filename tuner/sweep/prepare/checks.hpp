#pragma once

#include <vector>

#include "tuner/sweep/request.hpp"

namespace tilewright {

// Whether the definition has a reference. If not, the caller of a sweep must give right answers.
bool has_reference(const Operation& operation);

// The tuned problem, then the operation's checks. A check is the tuned problem with the check's
// values, except those that an implementation compiles in. If only some configurations compile a
// value in, there is a problem with and one without it. If the operation has no reference, there is
// only the tuned problem.
std::vector<Problem> problems_to_verify(const SweepRequest& request);

// The operation's checks that are not among them, because no problem has both the check's values
// and those that are compiled in.
std::vector<Settings> impossible_checks(const SweepRequest& request);

// A configuration's launches on one problem. Throws InputError.
LaunchPlan plan_problem(const SweepRequest& request, const Implementation& implementation,
                        const Configuration& configuration, const Problem& problem);

// The same for one of the checks. Empty if the configuration cannot compute it: the check breaks
// one of the implementation's constraints or limits, or needs different code.
LaunchPlan plan_check(const SweepRequest& request, const Implementation& implementation,
                      const Configuration& configuration, const Problem& problem);

}  // namespace tilewright
