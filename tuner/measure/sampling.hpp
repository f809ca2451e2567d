#pragma once

#include <cstdint>
#include <functional>

#include "tilewright/policy.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

// The most calls in one sample, and so the most operand sets to rotate through.
inline constexpr int kMaximumCalls = 4096;

// The fewest samples of a long call.
inline constexpr int kSamplesOfLongCalls = 2;

// How many operand sets a cold measurement rotates through: the fewest that together exceed three
// times the L2, at least 2, at most kMaximumCalls. 1 if warm.
int operand_sets(CachePolicy cache, std::int64_t operand_bytes, std::int64_t l2_bytes);

// The number of calls in one graph, so that a sample lasts about `sample_us`. It is a multiple of
// the operand sets, and at most kMaximumCalls if one round through the sets is not more. Not for
// long calls, because their samples have one call each.
int calls_per_sample(double call_us, double sample_us, int sets);

// The number of calls in one sample if a rotation through the sets takes over ten times
// `sample_us`: so many that they last about three times `sample_us`, and the next sample goes on
// with the next sets. 0: a sample rotates through all sets.
int calls_per_part(double call_us, double sample_us, int sets);

// Runs the sampling loop of a SampleRequest. `run` executes one sample and returns its whole length
// in microseconds. The first sample is discarded unless its calls are long, and so are others until
// the lead-in is over. The budget includes the first one. It ends the loop once the minimum is
// taken, or kSamplesOfLongCalls for long calls. No clock is used, so tests can drive it.
Timing take_samples(const SampleRequest& request, int calls, const std::function<double()>& run);

}  // namespace tilewright
