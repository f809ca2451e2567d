// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// N neighbouring floats that move as one: a single 64- or 128-bit access for N = 2 or 4.
template <int N>
struct alignas(N * sizeof(float)) Run {
  float value[N];
};

// Whether every row of a matrix with `columns` columns can be read in runs of N. The same for
// all threads, so a branch on it never diverges.
template <int N>
__device__ __forceinline__ bool rows_are_aligned(const float* matrix, int columns) {
  if (N == 1) return true;
  const unsigned long long address = reinterpret_cast<unsigned long long>(matrix);
  return columns % N == 0 && address % (N * sizeof(float)) == 0;
}

// Elements [column, column + N) of one row of a row-major matrix; zero where the matrix ends.
// With `aligned` the column must be a multiple of N. Offsets are formed only for elements that
// exist, so they fit an int whenever the matrix has fewer than 2^31 elements.
template <int N>
__device__ __forceinline__ Run<N> load_run(const float* matrix, int row, int column, int rows,
                                           int columns, bool aligned) {
  Run<N> run;
#pragma unroll
  for (int i = 0; i < N; ++i) run.value[i] = 0.0f;
  if (row < rows && column < columns) {
    const float* source = matrix + (row * columns + column);
    if (aligned) {
      run = *reinterpret_cast<const Run<N>*>(source);
    } else {
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (column + i < columns) run.value[i] = source[i];
    }
  }
  return run;
}

// The counterpart: writes those elements of the run that exist.
template <int N>
__device__ __forceinline__ void store_run(float* matrix, int row, int column, int rows, int columns,
                                          bool aligned, const Run<N>& run) {
  if (row >= rows || column >= columns) return;
  float* target = matrix + (row * columns + column);
  if (aligned) {
    *reinterpret_cast<Run<N>*>(target) = run;
    return;
  }
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (column + i < columns) target[i] = run.value[i];
}
