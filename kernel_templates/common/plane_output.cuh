// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Where a plane's results go in global memory.

#include "filter_types.cuh"
#include "run.cuh"

struct OutputPlane {
  Element* samples;
  int width, height, pitch;
  int first_row = -0x7fffffff - 1;  // rows before it are not written: none
};

// N neighbours from (row, column) on, as one if they all exist, as which WHOLE says. The row does.
// FINISH makes an Element of a sum, its row and its column.
template <int N, bool WHOLE, class FINISH>
__device__ __forceinline__ void write_run(const OutputPlane& plane, int row, int column,
                                          const Sum* sums, const FINISH& finished) {
  Element* const target = plane.samples + (row * plane.pitch + column);
  if (WHOLE || column + N <= plane.width) {
    Run<N, Element> run;
#pragma unroll
    for (int v = 0; v < N; ++v) run.value[v] = finished(sums[v], row, column + v);
    *reinterpret_cast<Run<N, Element>*>(target) = run;
  } else {
#pragma unroll
    for (int v = 0; v < N; ++v)
      if (column + v < plane.width) target[v] = finished(sums[v], row, column + v);
  }
}
