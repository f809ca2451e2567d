// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// CHUNK ks of the thin operand in shared memory. Threads that read the wide operand along K read it
// along K as well, otherwise all thin positions of one k.

#include "geometry.cuh"
#include "run.cuh"

constexpr int kThinRuns = (kThin + 3) / 4;
constexpr int kThinFloats = CHUNK * (kWideAlongK ? kThin : 4 * kThinRuns);

__device__ __forceinline__ int thin_index(int position, int k) {
  return kWideAlongK ? position * CHUNK + k : k * (4 * kThinRuns) + position;
}

// Zeros from `last_k` on.
__device__ __forceinline__ void load_thin(float* chunk, const float* thin, int pitch, int first_k,
                                          int last_k) {
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < CHUNK * kThin; i += kThreads) {
    const int position = kThinAlongK ? i / CHUNK : i % kThin;
    const int k = kThinAlongK ? i % CHUNK : i / kThin;
    const int at = first_k + k;
    float value = 0.0f;
    if (at < last_k) value = thin[kThinAlongK ? position * pitch + at : at * pitch + position];
    chunk[thin_index(position, k)] = value;
  }
}
