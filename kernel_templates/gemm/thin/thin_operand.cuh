// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// CHUNK ks of the thin operand in shared memory, along K for each thin position.

#include "async_copy.cuh"
#include "geometry.cuh"
#include "integers.cuh"
#include "run.cuh"

// Not a multiple of 32: copies of neighbouring positions go to different banks. What a thread reads
// at a time is aligned.
constexpr int kThinUnit = 16 / static_cast<int>(sizeof(ThinElement));
constexpr int kThinPitch = CHUNK + (VECTOR > 4 && kThinUnit > 4 ? kThinUnit : 4);
constexpr int kThinElements = kThinPitch * kThin;

// A chunk in bytes; what follows it is aligned.
constexpr int kChunkBytes = round_up(kThinElements * static_cast<int>(sizeof(ThinElement)), 16);

class ThinOperand {
 public:
  // `along_k`: the elements of a copy, if neighbours are along K; else 0.
  __device__ __forceinline__ ThinOperand(const ThinElement* data, int pitch, int along_k)
      : data_(data), pitch_(pitch), along_k_(along_k) {}

  // Begins to copy the ks from `first_k` on to `chunk`, zeros from `last_k` on.
  template <int kUnroll>
  __device__ __forceinline__ void start(ThinElement* chunk, int first_k, int last_k) const {
    if (along_k_ == 4)
      copy<kUnroll, 4, true>(chunk, first_k, last_k);
    else if (along_k_ == 1)
      copy<kUnroll, 1, true>(chunk, first_k, last_k);
    else
      copy<kUnroll, 1, false>(chunk, first_k, last_k);
  }

 private:
  template <int kUnroll, int kVector, bool kAlongK>
  __device__ __forceinline__ void copy(ThinElement* chunk, int first_k, int last_k) const {
    constexpr int kRuns = CHUNK / kVector;
#pragma unroll kUnroll
    for (int i = static_cast<int>(threadIdx.x); i < kRuns * kThin; i += kThreads) {
      const int position = kAlongK ? i / kRuns : i % kThin;
      const int k = kVector * (kAlongK ? i % kRuns : i / kThin);
      const int at = first_k + k;
      start_copy_or_zeros<kVector>(
          chunk + position * kThinPitch + k,
          data_ + (kAlongK ? position * pitch_ + at : at * pitch_ + position), at < last_k);
    }
  }

  const ThinElement* data_;
  int pitch_;
  int along_k_;
};
