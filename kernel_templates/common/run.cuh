// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// N neighbouring floats that move as one: a single 64- or 128-bit access for N = 2 or 4.
template <int N>
struct alignas(N * sizeof(float)) Run {
  float value[N];
};

// A row-major matrix whose rows begin `pitch` elements apart. Offsets are formed only for elements
// that exist, so they fit an int whenever there are fewer than 2^31 elements.
template <class T>
struct Matrix {
  T* elements;
  int rows;
  int columns;
  int pitch;

  // Whether every row can be read in runs of N. The same for all threads, so a branch on it never
  // diverges.
  template <int N>
  __device__ __forceinline__ bool is_aligned() const {
    if (N == 1) return true;
    const unsigned long long address = reinterpret_cast<unsigned long long>(elements);
    return columns % N == 0 && pitch % N == 0 && address % (N * sizeof(float)) == 0;
  }
};

// Elements [column, column + N) of one row; zero where the matrix ends. With `aligned`, which is
// is_aligned<N>(), the column must be a multiple of N.
template <int N>
__device__ __forceinline__ Run<N> load_run(const Matrix<const float>& matrix, int row, int column,
                                           bool aligned) {
  Run<N> run;
#pragma unroll
  for (int i = 0; i < N; ++i) run.value[i] = 0.0f;
  if (row < matrix.rows && column < matrix.columns) {
    const float* source = matrix.elements + (row * matrix.pitch + column);
    if (aligned) {
      run = *reinterpret_cast<const Run<N>*>(source);
    } else {
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (column + i < matrix.columns) run.value[i] = source[i];
    }
  }
  return run;
}

// The counterpart: writes those elements of the run that exist.
template <int N>
__device__ __forceinline__ void store_run(const Matrix<float>& matrix, int row, int column,
                                          bool aligned, const Run<N>& run) {
  if (row >= matrix.rows || column >= matrix.columns) return;
  float* target = matrix.elements + (row * matrix.pitch + column);
  if (aligned) {
    *reinterpret_cast<Run<N>*>(target) = run;
    return;
  }
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (column + i < matrix.columns) target[i] = run.value[i];
}
