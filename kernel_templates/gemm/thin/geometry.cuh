// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// C has few rows or few columns, kThin of them; the other side is the wide one. What belongs to the
// thin side is one operand, what belongs to the wide side the other, whichever is A.

#if SIDE == SIDE_ROWS
constexpr int kThin = PROBLEM_M;
constexpr bool kThinAlongK = PROBLEM_TRANSPOSE_A == TRANSPOSE_A_NO;
constexpr bool kWideAlongK = PROBLEM_TRANSPOSE_B == TRANSPOSE_B_YES;
#else
constexpr int kThin = PROBLEM_N;
constexpr bool kThinAlongK = PROBLEM_TRANSPOSE_B == TRANSPOSE_B_YES;
constexpr bool kWideAlongK = PROBLEM_TRANSPOSE_A == TRANSPOSE_A_NO;
#endif

constexpr int kThreads = ACROSS * ALONG;

// A run of the wide operand is VECTOR ks of one position, or VECTOR positions at one k.
constexpr int kRunDepth = kWideAlongK ? VECTOR : 1;
constexpr int kRunPositions = kWideAlongK ? 1 : VECTOR;

constexpr int kPositions = RUNS * kRunPositions;      // of a thread
constexpr int kBlockPositions = ACROSS * kPositions;  // of a block
constexpr int kStepDepth = ALONG * kRunDepth;         // ks of a block's threads at a time
constexpr int kBatchDepth = UNROLL * kStepDepth;

static_assert(CHUNK % kBatchDepth == 0, "a chunk is whole batches");

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
