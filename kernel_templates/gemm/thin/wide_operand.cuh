// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The wide operand, straight from global memory to registers, and its products.

#include "thin_operand.cuh"

using Sums = float[kPositions][kThin];

// What a thread reads at a time.
struct Batch {
  Run<VECTOR> runs[UNROLL][RUNS];
};

class WideOperand {
 public:
  // Positions beyond the last of `positions` are copies of it, which are not written.
  __device__ __forceinline__ WideOperand(const float* data, int pitch, int positions, int first)
      : data_(data), pitch_(pitch) {
#pragma unroll
    for (int run = 0; run < RUNS; ++run)
      positions_[run] = min(first + position_of(run, 0), positions - kRunPositions);
  }

  // This thread's runs of the batch that begins at `first_k`; zeros from `last_k` on.
  __device__ __forceinline__ void read(Batch& batch, int first_k, int last_k) const {
#pragma unroll
    for (int step = 0; step < UNROLL; ++step) {
      const int k = first_k + step * kStepDepth + thread_along() * kRunDepth;
#pragma unroll
      for (int run = 0; run < RUNS; ++run) {
        const int at = kWideAlongK ? positions_[run] * pitch_ + k : k * pitch_ + positions_[run];
        batch.runs[step][run] = Run<VECTOR>{};
        if (k < last_k) batch.runs[step][run] = *reinterpret_cast<const Run<VECTOR>*>(data_ + at);
      }
    }
  }

 private:
  const float* data_;
  int pitch_;
  int positions_[RUNS];
};

// Adds a batch's products; `first_k` is where it begins in the chunk.
__device__ __forceinline__ void add_products(Sums& sums, const Batch& batch, const float* chunk,
                                             int first_k) {
#pragma unroll
  for (int step = 0; step < UNROLL; ++step) {
    const int k = first_k + step * kStepDepth + thread_along() * kRunDepth;
    if (kWideAlongK) {
#pragma unroll
      for (int t = 0; t < kThin; ++t) {
        const Run<VECTOR> thin = *reinterpret_cast<const Run<VECTOR>*>(chunk + thin_index(t, k));
#pragma unroll
        for (int run = 0; run < RUNS; ++run)
#pragma unroll
          for (int v = 0; v < VECTOR; ++v)
            sums[run][t] += batch.runs[step][run].value[v] * thin.value[v];
      }
    } else {
      Run<4> thin[kThinRuns];
#pragma unroll
      for (int i = 0; i < kThinRuns; ++i)
        thin[i] = *reinterpret_cast<const Run<4>*>(chunk + thin_index(4 * i, k));
#pragma unroll
      for (int run = 0; run < RUNS; ++run)
#pragma unroll
        for (int v = 0; v < VECTOR; ++v)
#pragma unroll
          for (int t = 0; t < kThin; ++t)
            sums[(run * kRunPositions + v) % kPositions][t] +=
                batch.runs[step][run].value[v] * thin[t / 4].value[t % 4];
    }
  }
}
