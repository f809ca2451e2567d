// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "tilewright/policy.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

// The most calls in one sample, and so the most operand sets that one can rotate.
inline constexpr int kMaximumCalls = 4096;

// The fewest samples of a long call.
inline constexpr int kSamplesOfLongCalls = 2;

// How many operand sets a cold measurement rotates: the fewest that together exceed three
// times the L2, at least 2, at most kMaximumCalls; 1 when warm.
int operand_sets(CachePolicy cache, std::int64_t operand_bytes, std::int64_t l2_bytes);

// Calls to put in one graph so that a sample lasts about `sample_us`: a multiple of the operand
// sets, at least one round, at most kMaximumCalls (unless a single round is more). Not for long
// calls, of which a sample has one.
int calls_per_sample(double call_us, double sample_us, int sets);

// Runs the sampling loop of a SampleRequest. `run` executes one sample and returns its whole
// length in microseconds; the first is discarded unless its calls are long. The budget counts
// every sample, the discarded one included, and rules once the minimum is taken, or
// kSamplesOfLongCalls. Pure but for `run`, so that a fake clock can drive it.
Timing take_samples(const SampleRequest& request, int calls, const std::function<double()>& run);

// One side of a comparison: `run` executes a sample of so many calls and returns its length in
// microseconds.
struct Contender {
  int calls = 1;
  std::function<double()> run;
};

// Times of both sides, of which each sample is a round of its own: ratio_of() compares pairs.
struct PairedTimings {
  Timing first;
  Timing second;
};

// Samples of two contenders in turn, `pairs` of each, every other pair in the other order. A pair
// before them is discarded. Requires at least one pair.
PairedTimings take_pairs(int pairs, const Contender& first, const Contender& second);

}  // namespace tilewright
