// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// CHUNK ks of the thin operand in shared memory, along K for each thin position.

#include "async_copy.cuh"
#include "geometry.cuh"
#include "run.cuh"

// Not a multiple of 32: copies of neighbouring positions go to different banks.
constexpr int kThinPitch = CHUNK + 4;
constexpr int kThinFloats = kThinPitch * kThin;

class ThinOperand {
 public:
  __device__ __forceinline__ ThinOperand(const float* data, int pitch)
      : data_(data), pitch_(pitch) {}

  // Begins to copy the ks from `first_k` on to `chunk`, zeros from `last_k` on.
  __device__ __forceinline__ void start(float* chunk, int first_k, int last_k) const {
    constexpr int kRuns = CHUNK / THIN_VECTOR;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < kRuns * kThin; i += kThreads) {
      const int position = kThinAlongK ? i / kRuns : i % kThin;
      const int k = THIN_VECTOR * (kThinAlongK ? i % kRuns : i / kThin);
      const int at = first_k + k;
      start_copy_or_zeros<4 * THIN_VECTOR>(
          chunk + position * kThinPitch + k,
          data_ + (kThinAlongK ? position * pitch_ + at : at * pitch_ + position), at < last_k);
    }
  }

 private:
  const float* data_;
  int pitch_;
};
