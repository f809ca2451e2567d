// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What becomes of a sum of products: alpha · sum (+ beta · C), written to its place in C.
// PROBLEM_ACCUMULATE is the operation's choice; without it C is never read.

#include "run.cuh"

struct Output {
  Matrix<float> c;
  float alpha;
  float beta;

  // Writes N sums side by side, those of them that are within C. `aligned` is
  // c.is_aligned<N>(); the column is a multiple of N then.
  template <int N>
  __device__ __forceinline__ void write(int row, int column, bool aligned,
                                        const Run<N>& sums) const {
    if (row >= c.rows || column >= c.columns) return;
    const float* const old = c.elements + (row * c.pitch + column);
    Run<N> values;
    if (PROBLEM_ACCUMULATE && aligned) values = *reinterpret_cast<const Run<N>*>(old);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      float value = alpha * sums.value[i];
      if (PROBLEM_ACCUMULATE) {
        if (aligned)
          value += beta * values.value[i];
        else if (column + i < c.columns)
          value += beta * old[i];
      }
      values.value[i] = value;
    }
    store_run<N>(c, row, column, aligned, values);
  }
};
