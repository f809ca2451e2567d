// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Vectors of N samples on their way from global to shared memory, N = 1, 2 or 4. With ASYNC they
// are there after wait_for_copies().

#include "async_copy.cuh"
#include "boundary.cuh"
#include "run.cuh"

// Both addresses are multiples of the vector's size.
template <int N, bool ASYNC>
__device__ __forceinline__ void copy_vector(float* target, const float* source) {
  if (ASYNC)
    start_copy<4 * N>(target, source);
  else
    *reinterpret_cast<Run<N>*>(target) = *reinterpret_cast<const Run<N>*>(source);
}

// The same from `column` of a row of `length` samples, where some of the vector may be ghosts.
template <int N, bool ASYNC>
__device__ __forceinline__ void copy_vector_or_ghosts(float* target, const float* row, int column,
                                                      int length) {
  if (column >= 0 && column + N <= length) {
    copy_vector<N, ASYNC>(target, row + column);
    return;
  }
#pragma unroll
  for (int i = 0; i < N; ++i) target[i] = sample_or_ghost(row, column + i, length);
}
