// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Products of rows of samples with the taps, for OUTPUTS_X × OUTPUTS_Y outputs of a thread. A type
// ROWS reads the samples:
//   kWindow, kShift    samples of a row that it reads, and how many before the first one needed
//   read(window, row)  the row that tap row 0 of the thread's first output needs, and those after

#include "filter_taps.cuh"

// Adds all products of one row of samples with rows `first` … first + TAP_ROWS − 1 of DEPTH planes
// of the filter, from `plane` on, each to sums of its own. The row is the one that tap row first +
// ROW of the thread's first output needs; then that of the next, as far as the outputs need any.
// Templates write this out, because compilers leave pragmas aside where so much code comes of them.
template <int TAP_ROWS, int ROW, int DEPTH, class ROWS>
__device__ __forceinline__ void add_rows(Sum (&sums)[DEPTH][OUTPUTS_Y][OUTPUTS_X], const ROWS& rows,
                                         const Taps& taps, int plane, int first) {
  Sum window[ROWS::kWindow];
  rows.read(window, first + ROW);
#pragma unroll
  for (int column = 0; column < PROBLEM_FILTER_WIDTH; column += 4) {
#pragma unroll
    for (int z = DEPTH - 1; z >= 0; --z) {
#pragma unroll
      for (int y = 0; y < OUTPUTS_Y; ++y) {
        if (ROW - y < 0 || ROW - y >= TAP_ROWS) continue;
        const Run<4, Sum> run =
            taps.read((plane + z) * PROBLEM_FILTER_HEIGHT + first + ROW - y, column);
#pragma unroll
        for (int v = 0; v < 4; ++v) {
          if (column + v >= PROBLEM_FILTER_WIDTH) continue;
#pragma unroll
          for (int x = 0; x < OUTPUTS_X; ++x)
            sums[z][y][x] += run.value[v] * window[ROWS::kShift + column + v + x];
        }
      }
    }
  }
  if constexpr (ROW + 1 < OUTPUTS_Y + TAP_ROWS - 1)
    add_rows<TAP_ROWS, ROW + 1>(sums, rows, taps, plane, first);
}

// All products of one plane of samples with DEPTH planes of the filter.
template <int DEPTH, class ROWS>
__device__ __forceinline__ void add_products(Sum (&sums)[DEPTH][OUTPUTS_Y][OUTPUTS_X],
                                             const ROWS& rows, const Taps& taps, int plane) {
  constexpr int kUnrolled = smaller(UNROLL, PROBLEM_FILTER_HEIGHT);
  constexpr int kLeftOver = PROBLEM_FILTER_HEIGHT % kUnrolled;
#pragma unroll 1
  for (int first = 0; first < PROBLEM_FILTER_HEIGHT - kLeftOver; first += kUnrolled)
    add_rows<kUnrolled, 0>(sums, rows, taps, plane, first);
  if constexpr (kLeftOver > 0)
    add_rows<kLeftOver, 0>(sums, rows, taps, plane, PROBLEM_FILTER_HEIGHT - kLeftOver);
}
