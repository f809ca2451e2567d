// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The wide operand, a step at a time: to registers, or to shared memory first, to places of the
// thread's own, so that it waits for nobody else.

#include "thin_operand.cuh"

using Sums = Sum[kPositions][kThin];

// What a thread takes at a time.
struct Step {
  Run<VECTOR, WideElement> runs[kStepRuns][RUNS];
};

constexpr int kStepElements = kStepRuns * RUNS * VECTOR * kThreads;  // of a block

class WideOperand {
 public:
  // Positions beyond the last of `positions` are copies of it, which are not written.
  __device__ __forceinline__ WideOperand(const WideElement* data, int pitch, int positions,
                                         int first)
      : data_(data), pitch_(pitch) {
#pragma unroll
    for (int run = 0; run < RUNS; ++run)
      positions_[run] = min(first + position_of(run, 0), positions - kRunPositions);
  }

  // This thread's runs of the block's step that begins at `first_k`; zeros from `last_k` on. Where
  // steps are whole, one that begins there stays as it is, and nobody asks for it.
  __device__ __forceinline__ void read(Step& step, int first_k, int last_k) const {
    if (kWholeSteps && first_k >= last_k) return;
    const int k = first_k + thread_along() * kStepDepth;
#pragma unroll
    for (int run = 0; run < RUNS; ++run) {
      const WideElement* at = source(run, min(k, last_k - kRunDepth));
#pragma unroll
      for (int i = 0; i < kStepRuns; ++i, at += pitch_) {
        if (!kWholeSteps) step.runs[i][run] = {};
        if (kWholeSteps || k + i < last_k)
          step.runs[i][run] = *reinterpret_cast<const Run<VECTOR, WideElement>*>(at);
      }
    }
  }

  // Begins to copy them to `place` instead, this thread's in a block's step in shared memory.
  __device__ __forceinline__ void start(WideElement* place, int first_k, int last_k) const {
    if (first_k >= last_k) return;
    const int k = first_k + thread_along() * kStepDepth;
#pragma unroll
    for (int run = 0; run < RUNS; ++run) {
      const WideElement* at = source(run, min(k, last_k - kRunDepth));
#pragma unroll
      for (int i = 0; i < kStepRuns; ++i, at += pitch_) {
        if (kWholeSteps)
          start_copy<VECTOR>(place + offset(i, run), at);
        else
          start_copy_or_zeros<VECTOR>(place + offset(i, run), at, k + i < last_k);
      }
    }
  }

  // What start() copied, after the wait for it.
  static __device__ __forceinline__ Step fetch(const WideElement* place) {
    Step step;
#pragma unroll
    for (int i = 0; i < kStepRuns; ++i)
#pragma unroll
      for (int run = 0; run < RUNS; ++run)
        step.runs[i][run] =
            *reinterpret_cast<const Run<VECTOR, WideElement>*>(place + offset(i, run));
    return step;
  }

 private:
  __device__ __forceinline__ const WideElement* source(int run, int k) const {
    return data_ + (kWideAlongK ? positions_[run] * pitch_ + k : k * pitch_ + positions_[run]);
  }
  static __device__ __forceinline__ int offset(int i, int run) {
    return (i * RUNS + run) * (kThreads * VECTOR);
  }

  const WideElement* data_;
  int pitch_;
  int positions_[RUNS];
};
