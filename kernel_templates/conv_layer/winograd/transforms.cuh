// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Winograd's transforms of TILE_SIDE outputs along each side under three taps. What a tile meets
// are the coefficients of a polynomial. Values at kSide − 1 points, and at infinity, say the same;
// at each of them the filter's sum is one product. Two dimensions take the transforms of both
// sides, one after the other. The points ±11/16 and ±3/2 make smaller errors than the usual ±1 and
// ±2, and image and output have factors that are exact in float32. After: Winograd, Arithmetic
// complexity of computations, 1980; Lavin and Gray, Fast algorithms for convolutional neural
// networks, 2016; Barabasz et al., Error analysis and improving the accuracy of Winograd
// convolution for deep neural networks, 2020 (points).

#include "run.cuh"
#include "types.cuh"

constexpr int kTaps = 3;
constexpr int kSide =
    TILE_SIDE + kTaps - 1;  // pixels that a tile meets along each side, and points

// The last is infinity.
__host__ __device__ constexpr double point(int i) {
  const double distance = TILE_SIDE == 2 ? 1.0 : i <= 2 ? 0.6875 : 1.5;
  return i == 0 ? 0.0 : i % 2 == 1 ? distance : -distance;
}

// How TO results come from FROM values.
template <int TO, int FROM>
struct Factors {
  double of[TO][FROM] = {};
};

// A polynomial's coefficients from its values, by the transposed way: of outputs.
struct OutputTransform {
  static constexpr int kTo = TILE_SIDE;
  static constexpr int kFrom = kSide;
  static __host__ __device__ constexpr Factors<kTo, kFrom> factors() {
    Factors<kTo, kFrom> factors;
    for (int i = 0; i < kSide - 1; ++i) {
      double power = 1.0;
      for (int j = 0; j < kTo; ++j, power *= point(i)) factors.of[j][i] = power;
    }
    factors.of[kTo - 1][kSide - 1] = 1.0;
    return factors;
  }
};

// The filter's values at the points, each divided by the point's distances from the others.
struct FilterTransform {
  static constexpr int kTo = kSide;
  static constexpr int kFrom = kTaps;
  static __host__ __device__ constexpr Factors<kTo, kFrom> factors() {
    Factors<kTo, kFrom> factors;
    for (int i = 0; i < kSide - 1; ++i) {
      double power = 1.0;
      for (int k = 0; k < kSide - 1; ++k)
        if (k != i) power /= point(i) - point(k);
      for (int j = 0; j < kFrom; ++j, power *= point(i)) factors.of[i][j] = power;
    }
    factors.of[kSide - 1][kFrom - 1] = 1.0;
    return factors;
  }
};

// The coefficients of the polynomials that are zero at all points but one.
struct InputTransform {
  static constexpr int kTo = kSide;
  static constexpr int kFrom = kSide;
  static __host__ __device__ constexpr Factors<kTo, kFrom> factors() {
    Factors<kTo, kFrom> factors;
    for (int i = 0; i < kSide; ++i) {
      factors.of[i][0] = 1.0;
      for (int k = 0; k < kSide - 1; ++k) {
        if (k == i) continue;
        for (int j = kSide - 1; j >= 0; --j)
          factors.of[i][j] = (j > 0 ? factors.of[i][j - 1] : 0.0) - point(k) * factors.of[i][j];
      }
    }
    return factors;
  }
};

// Result `i` of a line, for N neighbouring channels.
template <class TRANSFORM, int N>
__device__ __forceinline__ Run<N, Sum> transformed(int i,
                                                   const Run<N, Sum> (&line)[TRANSFORM::kFrom]) {
  constexpr Factors<TRANSFORM::kTo, TRANSFORM::kFrom> kFactors = TRANSFORM::factors();
  Run<N, Sum> result = {};
#pragma unroll
  for (int j = 0; j < TRANSFORM::kFrom; ++j) {
    const Sum factor = static_cast<Sum>(kFactors.of[i][j]);
    if (kFactors.of[i][j] == 0.0) continue;
#pragma unroll
    for (int n = 0; n < N; ++n) result.value[n] += factor * line[j].value[n];
  }
  return result;
}

// A tile whose columns are transformed.
template <class TRANSFORM, int N>
struct HalfTransformed {
  Run<N, Sum> rows[TRANSFORM::kTo][TRANSFORM::kFrom];
};

// `read` gives the values in a row and a column.
template <class TRANSFORM, int N, class READ>
__device__ __forceinline__ HalfTransformed<TRANSFORM, N> transform_columns(READ&& read) {
  HalfTransformed<TRANSFORM, N> half;
#pragma unroll
  for (int column = 0; column < TRANSFORM::kFrom; ++column) {
    Run<N, Sum> line[TRANSFORM::kFrom];
#pragma unroll
    for (int row = 0; row < TRANSFORM::kFrom; ++row) line[row] = read(row, column);
#pragma unroll
    for (int i = 0; i < TRANSFORM::kTo; ++i)
      half.rows[i][column] = transformed<TRANSFORM, N>(i, line);
  }
  return half;
}

// `write` takes a row, a column and the values there.
template <class TRANSFORM, int N, class WRITE>
__device__ __forceinline__ void transform_rows(const HalfTransformed<TRANSFORM, N>& half,
                                               WRITE&& write) {
#pragma unroll
  for (int i = 0; i < TRANSFORM::kTo; ++i)
#pragma unroll
    for (int j = 0; j < TRANSFORM::kTo; ++j)
      write(i, j, transformed<TRANSFORM, N>(j, half.rows[i]));
}
