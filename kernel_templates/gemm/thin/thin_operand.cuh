// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// CHUNK ks of the thin operand in shared memory. Threads that read the wide operand along K read it
// along K as well, otherwise all thin positions of one k.

#include "async_copy.cuh"
#include "geometry.cuh"
#include "run.cuh"

constexpr int kThinRuns = (kThin + 3) / 4;
constexpr int kThinFloats = CHUNK * (kWideAlongK ? kThin : 4 * kThinRuns);

__device__ __forceinline__ int thin_index(int position, int k) {
  return kWideAlongK ? position * CHUNK + k : k * (4 * kThinRuns) + position;
}

// Begins to copy the ks from `first_k` on to `chunk`, zeros from `last_k` on; there after the wait
// for asynchronous copies.
__device__ __forceinline__ void start_thin(float* chunk, const float* thin, int pitch, int first_k,
                                           int last_k) {
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < CHUNK * kThin; i += kThreads) {
    const int position = kThinAlongK ? i / CHUNK : i % kThin;
    const int k = kThinAlongK ? i % CHUNK : i / kThin;
    const int at = first_k + k;
    start_copy_or_zeros<4>(chunk + thin_index(position, k),
                           thin + (kThinAlongK ? position * pitch + at : at * pitch + position),
                           at < last_k);
  }
  end_copy_group();
}
