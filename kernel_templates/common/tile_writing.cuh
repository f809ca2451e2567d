// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// How a thread's OUTPUTS_X × OUTPUTS_Y results go to a plane in global memory.

#include "integers.cuh"
#include "plane_output.cuh"

constexpr int kRunOfOutputs = smaller(OUTPUTS_X, 4);

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
#pragma unroll
    for (int i = 0; i < OUTPUTS_X; i += kRun)
      write_run<kRun, WHOLE>(plane, y + j, x + i, &sums[j][i], finished);
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
