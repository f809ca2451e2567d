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

// The same, or zeros where `source` is not to be read.
template <int N, bool ASYNC>
__device__ __forceinline__ void copy_vector_or_zeros(float* target, const float* source,
                                                     bool exists) {
  if (ASYNC) {
    start_copy_or_zeros<4 * N>(target, source, exists);
    return;
  }
  Run<N> run = {};
  if (exists) run = *reinterpret_cast<const Run<N>*>(source);
  *reinterpret_cast<Run<N>*>(target) = run;
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
  for (int i = 0; i < N; ++i) {
    const int source = source_index(column + i, length);
    if (source < 0)
      target[i] = 0.0f;
    else
      copy_vector<1, ASYNC>(target + i, row + source);
  }
}
