#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tuner/sweep/request.hpp"

namespace tilewright {

// Entry → symbol, as a loader needs it.
std::map<std::string, std::string> symbols_of(const CompileResult& code);

// Compiled kernels that fill, by argument.
using FillCode = std::map<std::string, CompileResult>;

// A session for those problems. `reference_code` is the compiled reference kernel if the operation
// has one, and `probe_code` the compiled clock probe. Throws InputError if the operation has a
// kernel that fills and `fills` lacks its code.
SessionPlan plan_session(const SweepRequest& request, const std::vector<Problem>& problems,
                         const CompileResult& reference_code, std::vector<std::uint8_t> probe_code,
                         const FillCode& fills = {});

// A configuration's launches on the tuned problem and, of each check, on the first problem that it
// can compute. The other plans are empty. It cannot compute a problem that breaks one of the
// implementation's constraints or limits, or needs different code.
KernelPlan plan_kernel(const SweepRequest& request, const Implementation& implementation,
                       const Configuration& configuration, const std::vector<Problem>& problems,
                       const CompileResult& code);

// What the kernels that fill do for a problem, by the position of the argument that is filled and
// in the order in which they run. Only buffers that have contents are filled.
std::map<int, LaunchPlan> fill_launches(const Operation& operation,
                                        const std::vector<PlannedBuffer>& buffers,
                                        const Scope& scope);

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

}  // namespace tilewright
