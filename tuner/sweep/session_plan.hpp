#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tuner/backend/source.hpp"
#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/sweep.hpp"

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

// Compiled kernels that fill, by argument.
using FillCode = std::map<std::string, CompileResult>;

// A session for those problems. `reference_code` is the compiled reference kernel if the operation
// has one, and `probe_code` the compiled clock probe. Throws InputError if the operation has a
// kernel that fills and `fills` lacks its code.
SessionPlan plan_session(const SweepRequest& request, const std::vector<Problem>& problems,
                         const CompileResult& reference_code, std::vector<std::uint8_t> probe_code,
                         const FillCode& fills = {});

// A configuration's launches on one problem. Throws InputError.
LaunchPlan plan_problem(const SweepRequest& request, const Implementation& implementation,
                        const Configuration& configuration, const Problem& problem);

// A configuration's launches on each of those problems. A check gets an empty plan if it breaks one
// of the implementation's constraints or limits, or needs different code.
KernelPlan plan_kernel(const SweepRequest& request, const Implementation& implementation,
                       const Configuration& configuration, const std::vector<Problem>& problems,
                       const CompileResult& code);

// The compiled code that the device side needs besides candidates.
struct Services {
  CompileResult probe;      // no code: clocks are unknown
  CompileResult reference;  // no code: the reference is built in
  FillCode fills = {};
};

// Compiles each snippet of the operation alone, as kernels and as the reference use it. A mistake
// in a snippet then gives one message instead of a sweep full of failures. False once `stop` is
// set. Throws InputError with the compiler's log.
bool check_snippets(const Operation& operation, const Problem& problem,
                    const std::string& architecture, CompileAhead& compilers,
                    const std::atomic<bool>& stop);

// The author's reference kernel. Requires that the operation has one.
CompileRequest reference_request(const SweepRequest& request);
// What the kernels that fill do for a problem, by the position of the argument that is filled and
// in the order in which they run. Only buffers that have contents are filled.
std::map<int, LaunchPlan> fill_launches(const Operation& operation,
                                        const std::vector<PlannedBuffer>& buffers,
                                        const Scope& scope);
// The kernels of the operation that fill, by argument.
std::map<std::string, CompileRequest> fill_requests(const SweepRequest& request);

// Starts the compiles of the services.
void submit_services(const SweepRequest& request, CompileAhead& compilers);
// Requires submit_services(). Nothing once `stop` is set. Throws InputError if the author's
// reference kernel or a snippet does not compile.
std::optional<Services> wait_for_services(const SweepRequest& request, CompileAhead& compilers,
                                          const std::atomic<bool>& stop);

// Makes the bench ready for the request's problems, with inputs from `seed`.
void open_session(const SweepRequest& request, const Services& services, std::uint64_t seed,
                  const Bench& bench);

// Whether the device can run the implementation's code.
bool has_architecture(const SweepRequest& request, const Implementation& implementation);

// Requires has_architecture().
CompileRequest compile_request(const SweepRequest& request, const KernelSource& source,
                               const Candidate& candidate);

// The trial of a candidate whose code the device cannot run.
Trial unsupported_trial(const SweepRequest& request, const Candidate& candidate);

}  // namespace tilewright
