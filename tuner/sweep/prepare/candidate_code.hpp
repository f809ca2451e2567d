#pragma once

#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/request.hpp"

namespace tilewright {

// Whether the device can run the implementation's code.
bool has_architecture(const SweepRequest& request, const Implementation& implementation);

// Requires has_architecture().
CompileRequest compile_request(const SweepRequest& request, const KernelSource& source,
                               const Candidate& candidate);

// The trial of a candidate whose code the device cannot run.
Trial unsupported_trial(const SweepRequest& request, const Candidate& candidate);

}  // namespace tilewright
