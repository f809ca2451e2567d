#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/cuda/session/operands.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::cuda {

// Right answers for every output of a problem, in the order of its arguments. They come from given
// files, from the built-in reference on the host, or from one run of the definition's reference
// kernel. The built-in reference computes as many elements as the limits allow, the kernel at most
// 2²⁴ of each output; where outputs are compared reduced, the kernel computes all.
// Throws MachineError if the reference kernel fails.
std::vector<Expected> right_answers(const SessionProblem& problem, const Operands& operands,
                                    const CheckLimits& limits, std::uint64_t seed, int device,
                                    cudaStream_t stream);

}  // namespace tilewright::cuda
