// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Vectors of N samples on their way from global to shared memory, N = 1, 2 or 4. With ASYNC they
// are there after wait_for_copies(), and their type stays the same; otherwise it may change.

#include "async_copy.cuh"
#include "boundary.cuh"
#include "run.cuh"

// Both addresses are multiples of what a Run of N needs.
template <int N, bool ASYNC, class KEPT, class T>
__device__ __forceinline__ void copy_vector(KEPT* target, const T* source) {
  if constexpr (ASYNC)
    start_copy<N>(target, source);
  else
    *reinterpret_cast<Run<N, KEPT>*>(target) =
        run_to<KEPT>(*reinterpret_cast<const Run<N, T>*>(source));
}

// The same, or zeros where `source` is not to be read.
template <int N, bool ASYNC, class KEPT, class T>
__device__ __forceinline__ void copy_vector_or_zeros(KEPT* target, const T* source, bool exists) {
  if constexpr (ASYNC) {
    start_copy_or_zeros<N>(target, source, exists);
  } else {
    Run<N, KEPT> run = {};
    if (exists) run = run_to<KEPT>(*reinterpret_cast<const Run<N, T>*>(source));
    *reinterpret_cast<Run<N, KEPT>*>(target) = run;
  }
}

// The same from `column` of a row of `length` samples, where some of the vector may be ghosts.
template <int N, bool ASYNC, class KEPT, class T>
__device__ __forceinline__ void copy_vector_or_ghosts(KEPT* target, const T* row, int column,
                                                      int length) {
  if (column >= 0 && column + N <= length) {
    copy_vector<N, ASYNC>(target, row + column);
    return;
  }
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const int source = source_index(column + i, length);
    if (source < 0)
      target[i] = KEPT{};
    else
      copy_vector<1, ASYNC>(target + i, row + source);
  }
}
