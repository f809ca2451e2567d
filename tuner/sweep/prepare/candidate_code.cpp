#include "tuner/sweep/prepare/candidate_code.hpp"

#include "definition/problem.hpp"
#include "tuner/plan/compile_request.hpp"

namespace tilewright {

bool has_architecture(const SweepRequest& request, const Implementation& implementation) {
  return architecture_for(implementation, request.backend.architecture).has_value();
}

CompileRequest compile_request(const SweepRequest& request, const KernelSource& source,
                               const Candidate& candidate) {
  const Implementation& implementation = *candidate.implementation;
  const Scope scope = full_scope(request.problem, candidate.configuration, request.device);
  const auto architecture = architecture_for(implementation, request.backend.architecture);
  return make_compile_request(source, implementation, *request.operation, request.problem,
                              candidate.configuration, scope, architecture.value());
}

Trial unsupported_trial(const SweepRequest& request, const Candidate& candidate) {
  Trial trial;
  trial.implementation = candidate.implementation->full_name();
  trial.configuration = candidate.configuration;
  trial.outcome = Outcome::unsupported;
  trial.message = "needs " + candidate.implementation->requires_architecture + "; the device is " +
                  request.backend.architecture;
  return trial;
}

}  // namespace tilewright
