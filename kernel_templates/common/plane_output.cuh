// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Where a plane's outputs go, and through what.

#include "epilogue.cuh"
#include "plane.cuh"
#include "run.cuh"

struct Output {
  Element* samples;
  int channel;
  int batch;
  int first;  // place of the plane's first sample in the whole output
  Epilogue epilogue;

  __device__ __forceinline__ Element finished(Sum sum, const Plane& plane, int row,
                                              int column) const {
    return to<Element>(
        epilogue(sum, row, column, channel, batch, first + row * plane.pitch + column));
  }
};

// N neighbours from (row, column) on, as one if they all exist, as which WHOLE says. The row does.
template <int N, bool WHOLE>
__device__ __forceinline__ void write_run(const Output& output, const Plane& plane, int row,
                                          int column, const Sum* sums) {
  Element* const target = output.samples + (row * plane.pitch + column);
  if (WHOLE || column + N <= plane.width) {
    Run<N, Element> run;
#pragma unroll
    for (int v = 0; v < N; ++v) run.value[v] = output.finished(sums[v], plane, row, column + v);
    *reinterpret_cast<Run<N, Element>*>(target) = run;
  } else {
#pragma unroll
    for (int v = 0; v < N; ++v)
      if (column + v < plane.width) target[v] = output.finished(sums[v], plane, row, column + v);
  }
}
