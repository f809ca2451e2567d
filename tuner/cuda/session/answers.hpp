// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/cuda/session/operands.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::cuda {

// Right answers for every output of a problem, in the order of its arguments: from the built-in
// host reference for as many elements as the limits allow, or from one run of the definition's
// reference kernel for all elements (of outputs beyond 2²⁴, for that many). Where outputs are
// compared reduced, for all elements. Throws MachineError if the reference kernel fails.
std::vector<Expected> right_answers(const SessionProblem& problem, const Operands& operands,
                                    const CheckLimits& limits, std::uint64_t seed, int device,
                                    cudaStream_t stream);

}  // namespace tilewright::cuda
