// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What becomes of a sum of products: epilogue(alpha · sum (+ beta · C)), written to its place in C.
// PROBLEM_ACCUMULATE is the operation's choice; without it C is never read.

#include "epilogue.cuh"
#include "run.cuh"
#include "types.cuh"

struct Output {
  using Element = ElementC;
  Matrix<ElementC>
      c;  // of the batch's matrix `batch`, which begins `offset` elements into the buffer
  int batch;
  int offset;
  Real alpha;
  Real beta;
  Epilogue epilogue;

  // What becomes of one sum. Where C has no such element, any number, by the rules of the nearest
  // element: kernels that form it before they know need no branch.
  __device__ __forceinline__ Real value(int row, int column, Real sum) const {
    row = min(row, c.rows - 1);
    column = min(column, c.columns - 1);
    const int index = row * c.pitch + column;
    Real value = alpha * sum;
    if (PROBLEM_ACCUMULATE) value += beta * to<Real>(c.elements[index]);
    return epilogue(value, row, column, batch, offset + index);
  }

  // Writes N sums side by side, those of them that are within C. `aligned` is
  // c.is_aligned<N>(); the column is a multiple of N then.
  template <int N>
  __device__ __forceinline__ void write(int row, int column, bool aligned,
                                        const Run<N, Sum>& sums) const {
    if (row >= c.rows || column >= c.columns) return;
    const int index = row * c.pitch + column;
    Run<N, ElementC> values;
    if (PROBLEM_ACCUMULATE && aligned)
      values = *reinterpret_cast<const Run<N, ElementC>*>(c.elements + index);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if (!aligned && column + i >= c.columns) break;
      Real value = alpha * to<Real>(sums.value[i]);
      if (PROBLEM_ACCUMULATE)
        value += beta * to<Real>(aligned ? values.value[i] : c.elements[index + i]);
      values.value[i] = to<ElementC>(epilogue(value, row, column + i, batch, offset + index + i));
    }
    store_run<N>(c, row, column, aligned, values);
  }
};

// The output of the block's matrix of the batch, blockIdx.z.
__device__ __forceinline__ Output make_output(ElementC* c, int rows, int columns, int pitch,
                                              int stride, Real alpha, Real beta,
                                              const Epilogue& epilogue) {
  const int batch = static_cast<int>(blockIdx.z);
  return {{c + batch * stride, rows, columns, pitch}, batch, batch * stride, alpha, beta, epilogue};
}
