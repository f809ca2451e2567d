// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// How a thread's OUTPUTS_X × OUTPUTS_Y results go to a plane in global memory.

#include "filter_types.cuh"
#include "integers.cuh"
#include "run.cuh"

constexpr int kRunOfOutputs = smaller(OUTPUTS_X, 4);

struct OutputPlane {
  Element* samples;
  int width, height, pitch;
  int first_row = 0;  // rows before it are not written
};

// The results from (y, x) on, of which only those that exist, or all if WHOLE. FINISH makes an
// Element of a sum, its row and its column. Runs are written as one only if ALIGNED.
template <bool WHOLE, bool ALIGNED, class FINISH>
__device__ __forceinline__ void write_sums(const OutputPlane& plane, int y, int x,
                                           const Sum (&sums)[OUTPUTS_Y][OUTPUTS_X],
                                           const FINISH& finished) {
  constexpr int kRun = ALIGNED ? kRunOfOutputs : 1;
#pragma unroll
  for (int j = 0; j < OUTPUTS_Y; ++j) {
    if (!WHOLE && y + j < plane.first_row) continue;
    if (!WHOLE && y + j >= plane.height) return;
    Element* target = plane.samples + ((y + j) * plane.pitch + x);
#pragma unroll
    for (int i = 0; i < OUTPUTS_X; i += kRun) {
      if (WHOLE || x + i + kRun <= plane.width) {
        Run<kRun, Element> run;
#pragma unroll
        for (int v = 0; v < kRun; ++v) run.value[v] = finished(sums[j][i + v], y + j, x + i + v);
        *reinterpret_cast<Run<kRun, Element>*>(target + i) = run;
      } else {
#pragma unroll
        for (int v = 0; v < kRun; ++v)
          if (x + i + v < plane.width) target[i + v] = finished(sums[j][i + v], y + j, x + i + v);
      }
    }
  }
}

// The same by all threads: `is_whole` says whether all results of the block exist. Runs are aligned
// if VECTOR or the pitch says so, and x is a multiple of OUTPUTS_X.
template <class FINISH>
__device__ __forceinline__ void write_tile(const OutputPlane& plane, int y, int x, bool is_whole,
                                           const Sum (&sums)[OUTPUTS_Y][OUTPUTS_X],
                                           const FINISH& finished) {
  if (VECTOR == 1 && plane.pitch % kRunOfOutputs != 0)
    write_sums<false, false>(plane, y, x, sums, finished);
  else if (is_whole)
    write_sums<true, true>(plane, y, x, sums, finished);
  else
    write_sums<false, true>(plane, y, x, sums, finished);
}
