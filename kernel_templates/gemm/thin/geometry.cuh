// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// C has few rows or few columns, kThin of them; the other side is the wide one. What belongs to the
// thin side is one operand, what belongs to the wide side the other, whichever is A.

#include "types.cuh"

#if SIDE == SIDE_ROWS
using ThinElement = ElementA;
using WideElement = ElementB;
constexpr int kThin = PROBLEM_M;
constexpr bool kWideAlongK = PROBLEM_TRANSPOSE_B == TRANSPOSE_B_YES;
#else
using ThinElement = ElementB;
using WideElement = ElementA;
constexpr int kThin = PROBLEM_N;
constexpr bool kWideAlongK = PROBLEM_TRANSPOSE_A == TRANSPOSE_A_NO;
#endif

constexpr int kThreads = ACROSS * ALONG;

// A run of the wide operand is VECTOR ks of one position, or VECTOR positions at one k. A thread
// takes so many ks at a time, one run or four, that it can read the thin operand in vectors.
constexpr int kRunPositions = kWideAlongK ? 1 : VECTOR;
constexpr int kRunDepth = kWideAlongK ? VECTOR : 1;
constexpr int kStepRuns = kWideAlongK ? 1 : 4;  // one after another along K
constexpr int kStepDepth = kStepRuns * kRunDepth;
constexpr int kPartUnit = kRunDepth > 4 ? kRunDepth : 4;  // a part of K is a multiple of it

constexpr int kPositions = RUNS * kRunPositions;      // of a thread
constexpr int kBlockPositions = ACROSS * kPositions;  // of a block
constexpr int kBlockDepth = ALONG * kStepDepth;       // ks of a block's threads at a time

// Steps that are worked on without asking whether there are so many left.
constexpr int kStepsAtOnce = LOADING == LOADING_ASYNC ? 1 : STAGES;

static_assert(CHUNK % (kStepsAtOnce * kBlockDepth) == 0 && CHUNK >= STAGES * kBlockDepth,
              "a chunk is whole steps, and its copies are behind those of the last stage");

// What is known of the parts of K that blocks have: whether each is whole steps, whether each is a
// single chunk.
#if SHAPE == SHAPE_COMPILED
constexpr bool kWholeSteps = PROBLEM_K % (SPLIT_K * kStepsAtOnce * kBlockDepth) == 0;
constexpr bool kOneChunk = PROBLEM_K <= SPLIT_K * CHUNK;
#else
constexpr bool kWholeSteps = false;
constexpr bool kOneChunk = false;
#endif

// Neighbouring threads read neighbouring runs.
__device__ __forceinline__ int thread_across() {
  const int thread = static_cast<int>(threadIdx.x);
  return kWideAlongK ? thread / ALONG : thread % ACROSS;
}
__device__ __forceinline__ int thread_along() {
  const int thread = static_cast<int>(threadIdx.x);
  return kWideAlongK ? thread % ALONG : thread / ACROSS;
}

// Position of element `i` of a thread's run `run` within the block.
__device__ __forceinline__ int position_of(int run, int i) {
  return (run * ACROSS + thread_across()) * kRunPositions + i;
}
