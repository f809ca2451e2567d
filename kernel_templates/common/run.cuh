// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Neighbours in memory that move as one, and matrices that are read and written in such runs.

#include "element.cuh"

// In bytes: what `count` neighbours can be moved by, 16 at most.
__host__ __device__ constexpr int run_alignment(int count, int bytes_of_one) {
  return count * bytes_of_one < 16 ? count * bytes_of_one : 16;
}

// N neighbours that move as one, in accesses of up to 128 bits: N is a power of two.
template <int N, class T = float>
struct alignas(run_alignment(N, sizeof(T))) Run {
  T value[N];
};

// Four neighbours of 8 bits, which one word holds, as floats: fewer instructions, and faster ones,
// than one by one. An int8 with its sign flipped is 128 more and not negative; behind the upper
// bytes of 2^23 it is the last bits of that number and itself.
template <class T>
__device__ __forceinline__ Run<4, float> widened_word(unsigned word) {
  Run<4, float> wide;
  if constexpr (TARGET_ARCHITECTURE > 0 && kSameType<T, signed char>) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      ON_GPU(wide.value[i] =
                 __uint_as_float(__byte_perm(word ^ 0x80808080U, 0x4b000000U, 0x7440U + i)) -
                 (0x1p23f + 128.0f));
    return wide;
  }
  if constexpr (TARGET_ARCHITECTURE >= 890 &&
                (kSameType<T, Float8E4M3> || kSameType<T, Float8E5M2>)) {
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      unsigned pair;
      if constexpr (kSameType<T, Float8E4M3>)
        ON_GPU(asm("cvt.rn.f16x2.e4m3x2 %0, %1;"
                   : "=r"(pair)
                   : "h"(static_cast<unsigned short>(word >> 8 * i))));
      else
        ON_GPU(asm("cvt.rn.f16x2.e5m2x2 %0, %1;"
                   : "=r"(pair)
                   : "h"(static_cast<unsigned short>(word >> 8 * i))));
      wide.value[i] = widened(Half{static_cast<unsigned short>(pair)});
      wide.value[i + 1] = widened(Half{static_cast<unsigned short>(pair >> 16)});
    }
    return wide;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) wide.value[i] = to<float>(reinterpret_cast<const T*>(&word)[i]);
  return wide;
}

// The same numbers as another type. By value, so that a run that comes from memory is one access.
template <class T, int N, class From>
__device__ __forceinline__ Run<N, T> run_to(const Run<N, From> run) {
  if constexpr (kSameType<T, From>) {
    return run;
  } else {
    Run<N, T> changed;
    constexpr bool kPairs =
        N % 2 == 0 && kSameType<From, float> && (kSameType<T, Half> || kSameType<T, BFloat16>);
    if constexpr (kPairs) {
#pragma unroll
      for (int i = 0; i < N; i += 2)
        *reinterpret_cast<unsigned*>(&changed.value[i]) =
            rounded_pair<T>(run.value[i], run.value[i + 1]);
    } else if constexpr (N % 4 == 0 && sizeof(From) == 1 && kSameType<T, float>) {
#pragma unroll
      for (int i = 0; i < N; i += 4) {
        const Run<4, float> four =
            widened_word<From>(*reinterpret_cast<const unsigned*>(&run.value[i]));
#pragma unroll
        for (int v = 0; v < 4; ++v) changed.value[i + v] = four.value[v];
      }
    } else {
#pragma unroll
      for (int i = 0; i < N; ++i) changed.value[i] = to<T>(run.value[i]);
    }
    return changed;
  }
}

// Reads past the L1 cache, which does not see what other multiprocessors write.
__device__ __forceinline__ Run<4, float> read_past_l1(const Run<4, float>* source) {
  const float4 run = __ldcg(reinterpret_cast<const float4*>(source));
  return {{run.x, run.y, run.z, run.w}};
}
__device__ __forceinline__ Run<4, int> read_past_l1(const Run<4, int>* source) {
  const int4 run = __ldcg(reinterpret_cast<const int4*>(source));
  return {{run.x, run.y, run.z, run.w}};
}
__device__ __forceinline__ Run<4, double> read_past_l1(const Run<4, double>* source) {
  const double2 low = __ldcg(reinterpret_cast<const double2*>(source));
  const double2 high = __ldcg(reinterpret_cast<const double2*>(source) + 1);
  return {{low.x, low.y, high.x, high.y}};
}

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
    return columns % N == 0 && pitch % N == 0 && address % run_alignment(N, sizeof(T)) == 0;
  }
};

// Elements [column, column + N) of one row; zero where the matrix ends. With `aligned`, which is
// is_aligned<N>(), the column must be a multiple of N.
template <int N, class T>
__device__ __forceinline__ Run<N, T> load_run(const Matrix<const T>& matrix, int row, int column,
                                              bool aligned) {
  Run<N, T> run = {};
  if (row < matrix.rows && column < matrix.columns) {
    const T* source = matrix.elements + (row * matrix.pitch + column);
    if (aligned) {
      run = *reinterpret_cast<const Run<N, T>*>(source);
    } else {
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (column + i < matrix.columns) run.value[i] = source[i];
    }
  }
  return run;
}

// The counterpart: writes those elements of the run that exist.
template <int N, class T>
__device__ __forceinline__ void store_run(const Matrix<T>& matrix, int row, int column,
                                          bool aligned, const Run<N, T>& run) {
  if (row >= matrix.rows || column >= matrix.columns) return;
  T* target = matrix.elements + (row * matrix.pitch + column);
  if (aligned) {
    *reinterpret_cast<Run<N, T>*>(target) = run;
    return;
  }
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (column + i < matrix.columns) target[i] = run.value[i];
}
