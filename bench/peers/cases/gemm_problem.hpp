#pragma once

#include <cstddef>
#include <vector>

#include "tilewright/settings.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright::bench {

// Whether the GPU computes the problem by ordinary multiply-adds, not on tensor cores: types of 32
// bits or more with their own precision. True for all operations but gemm.
bool is_of_multiply_adds(const Problem& problem);

// Fills factors of an integer type with 1, for both sides, because a library may take only 0 and 1.
// `buffers` are those of a problem of gemm.
void set_integer_factors_to_one(std::vector<PlannedBuffer>& buffers);

// The indices of the operation's arguments.
inline constexpr std::size_t kA = 0;
inline constexpr std::size_t kB = 1;
inline constexpr std::size_t kC = 2;
inline constexpr std::size_t kAlpha = 3;
inline constexpr std::size_t kBeta = 4;
inline constexpr std::size_t kBias = 5;  // the snippet's, one for each column

}  // namespace tilewright::bench
