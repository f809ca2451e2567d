// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The products of a block's part of K: STAGES steps of the wide operand on their way, chunks of the
// thin one ahead of their use.

#include "wide_operand.cuh"

extern __shared__ __align__(16) float shared[];

// Adds a step's products; `first_k` is where the block's step begins in the chunk.
__device__ __forceinline__ void add_step(Sums& sums, const Step& step, const ThinElement* chunk,
                                         int first_k) {
  chunk += first_k + thread_along() * kStepDepth;
  Run<VECTOR, Sum> wide[kStepRuns][RUNS];
#pragma unroll
  for (int i = 0; i < kStepRuns; ++i)
#pragma unroll
    for (int run = 0; run < RUNS; ++run) wide[i][run] = run_to<Sum>(step.runs[i][run]);
#pragma unroll
  for (int t = 0; t < kThin; ++t) {
    const auto thin =
        run_to<Sum>(*reinterpret_cast<const Run<kStepDepth, ThinElement>*>(chunk + t * kThinPitch));
#pragma unroll
    for (int k = 0; k < kStepDepth; ++k)
#pragma unroll
      for (int p = 0; p < kPositions; ++p)
        sums[p][t] += wide[kWideAlongK ? 0 : k][p / kRunPositions]
                          .value[kWideAlongK ? k : p % kRunPositions] *
                      thin.value[k];
  }
}

// STAGES steps on their way at a time, the next of each stage as soon as it is used.
class Stages {
 public:
  __device__ __forceinline__ Stages(const WideOperand& wide, int last_k)
      : wide_(wide), last_k_(last_k) {}

#if LOADING != LOADING_ASYNC
  __device__ __forceinline__ void start(int stage, int first_k) {
    wide_.read(steps_[stage], first_k, last_k_);
  }
  __device__ __forceinline__ Step next(int stage) const {
    return steps_[stage];
  }
  __device__ __forceinline__ void wait() const {
    wait_for_copies();
  }
#else
  __device__ __forceinline__ void start(int, int first_k) {
    wide_.start(place_, first_k, last_k_);
    end_copy_group();
    place_ = place_ == first_ + (STAGES - 1) * kStepElements ? first_ : place_ + kStepElements;
  }
  __device__ __forceinline__ Step next(int) const {
    wait();
    return WideOperand::fetch(place_);
  }
  __device__ __forceinline__ void wait() const {
    wait_for_copies_but<STAGES - 1>();
  }
#endif

 private:
  WideOperand wide_;
  int last_k_;
#if LOADING != LOADING_ASYNC
  Step steps_[STAGES];
#else
  WideElement* const first_ = reinterpret_cast<WideElement*>(reinterpret_cast<char*>(shared) +
                                                             (kOneChunk ? 1 : 2) * kChunkBytes) +
                              static_cast<int>(threadIdx.x) * VECTOR;
  WideElement* place_ = first_;
#endif
};

// Adds the products of the ks from `first_k` to `last_k`. The chunks are at the beginning of shared
// memory; their copies belong to the group of the step that is started next.
__device__ __forceinline__ void add_products(Sums& sums, const ThinOperand& thin,
                                             const WideOperand& wide, int first_k, int last_k) {
  auto* chunk = reinterpret_cast<ThinElement*>(shared);
  auto* next_chunk = reinterpret_cast<ThinElement*>(reinterpret_cast<char*>(shared) + kChunkBytes);
  Stages stages(wide, last_k);
  // Code with three kinds of copies has no registers in its loop to unroll them.
  constexpr int kUnroll = 4, kUnrollInLoop = SHAPE == SHAPE_COMPILED ? 4 : 2;
  if (LOADING == LOADING_ASYNC) thin.start<kUnroll>(chunk, first_k, last_k);
#pragma unroll
  for (int stage = 0; stage < STAGES; ++stage) stages.start(stage, first_k + stage * kBlockDepth);
  if (LOADING != LOADING_ASYNC) thin.start<kUnroll>(chunk, first_k, last_k);
  for (int chunk_k = first_k; chunk_k < last_k; chunk_k += CHUNK) {
    stages.wait();
    __syncthreads();  // the chunk is there, and nobody reads the one before it any more
    if (!kOneChunk && chunk_k + CHUNK < last_k)
      thin.start<kUnrollInLoop>(next_chunk, chunk_k + CHUNK, last_k);
    const int end = min(CHUNK, last_k - chunk_k);
#pragma unroll 1
    for (int first = 0; first < end; first += kStepsAtOnce * kBlockDepth) {
#pragma unroll
      for (int i = 0; i < kStepsAtOnce; ++i) {
        const int k = first + i * kBlockDepth;
        const int later_k = chunk_k + k + STAGES * kBlockDepth;
        const Step step = stages.next(i);
        if (LOADING == LOADING_AHEAD) stages.start(i, later_k);
        add_step(sums, step, chunk, k);
        if (LOADING != LOADING_AHEAD) stages.start(i, later_k);
      }
    }
    ThinElement* const done = chunk;
    chunk = next_chunk;
    next_chunk = done;
  }
  wait_for_copies();
}
