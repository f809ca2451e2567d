// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The products of rows of samples with the row filter, and of filtered rows with the column filter.
// STEP taps at a time have their code written out, in a loop over all.

#include "boundary.cuh"
#include "layout.cuh"
#include "taps.cuh"

// Samples in shared memory, from the first one that is kept for the thread's first output.
template <int OUTPUTS, class Kept>
struct SharedRow {
  const Kept* start;

  __device__ __forceinline__ Run<OUTPUTS, Sum> read(int column) const {
    return run_to<Sum>(*reinterpret_cast<const Run<OUTPUTS, Kept>*>(start + column));
  }
};

// The same in global memory, of a row that may be a ghost; with INTERIOR all samples exist.
template <int OUTPUTS, bool INTERIOR>
struct CachedRow {
  const Plane& plane;
  int row, first;

  __device__ __forceinline__ Run<OUTPUTS, Sum> read(int column) const {
    Run<OUTPUTS, Sum> run;
    const int source = INTERIOR ? row : source_index(row, plane.height);
    const Element* samples = plane.samples + (source < 0 ? 0 : source * plane.pitch);
    if constexpr (INTERIOR) {
#pragma unroll
      for (int i = 0; i < OUTPUTS; i += VECTOR) {
        const auto part = run_to<Sum>(
            *reinterpret_cast<const Run<VECTOR, Element>*>(samples + (first + column + i)));
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) run.value[i + v] = part.value[v];
      }
    } else {
#pragma unroll
      for (int i = 0; i < OUTPUTS; ++i)
        run.value[i] = source < 0
                           ? Sum(0)
                           : to<Sum>(sample_or_ghost(samples, first + column + i, plane.width));
    }
    return run;
  }
};

// Adds the products of TAPS taps from `first` on, a multiple of 4, with the samples of a row. The
// first SHIFT that are kept are not needed.
template <int SHIFT, int TAPS, int OUTPUTS, class Row>
__device__ __forceinline__ void add_row_taps(Sum (&sums)[OUTPUTS], const Row& row,
                                             const RowTaps& taps, int first) {
  constexpr int kSkipped = SHIFT / OUTPUTS * OUTPUTS;
  constexpr int kShift = SHIFT - kSkipped;
  constexpr int kWindow = round_up(kShift + OUTPUTS + TAPS - 1, OUTPUTS);
  Sum window[kWindow];
#pragma unroll
  for (int i = 0; i < kWindow; i += OUTPUTS) {
    const Run<OUTPUTS, Sum> run = row.read(kSkipped + first + i);
#pragma unroll
    for (int v = 0; v < OUTPUTS; ++v) window[i + v] = run.value[v];
  }
#pragma unroll
  for (int tap = 0; tap < TAPS; tap += 4) {
    const Run<4, Sum> run = taps.read(first + tap);
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      if (tap + v >= TAPS) continue;
#pragma unroll
      for (int i = 0; i < OUTPUTS; ++i) sums[i] += run.value[v] * window[kShift + tap + v + i];
    }
  }
}

template <int SHIFT, int OUTPUTS, class Row>
__device__ __forceinline__ void add_row_products(Sum (&sums)[OUTPUTS], const Row& row,
                                                 const RowTaps& taps) {
  constexpr int kStep = smaller(STEP, PROBLEM_FILTER_WIDTH);
  constexpr int kLeftOver = PROBLEM_FILTER_WIDTH % kStep;
#pragma unroll 1
  for (int first = 0; first < PROBLEM_FILTER_WIDTH - kLeftOver; first += kStep)
    add_row_taps<SHIFT, kStep>(sums, row, taps, first);
  if constexpr (kLeftOver > 0)
    add_row_taps<SHIFT, kLeftOver>(sums, row, taps, PROBLEM_FILTER_WIDTH - kLeftOver);
}

// Adds the products of filtered rows, of which `rows.read(n)` is the one that tap n of the first
// output needs, with TAPS taps from `first` on, a multiple of 4. Rows are written out by a
// template, because compilers leave pragmas aside where so much code comes of them.
template <int TAPS, int ROW, int DOWN, int ACROSS, class Rows>
__device__ __forceinline__ void add_filtered_rows(Sum (&sums)[DOWN][ACROSS], const Rows& rows,
                                                  const Sum (&taps)[round_up(TAPS, 4)], int first) {
  const Run<ACROSS, Sum> run = rows.read(first + ROW);
#pragma unroll
  for (int y = 0; y < DOWN; ++y) {
    if (ROW - y < 0 || ROW - y >= TAPS) continue;
#pragma unroll
    for (int x = 0; x < ACROSS; ++x) sums[y][x] += taps[ROW - y] * run.value[x];
  }
  if constexpr (ROW + 1 < DOWN + TAPS - 1)
    add_filtered_rows<TAPS, ROW + 1>(sums, rows, taps, first);
}

template <int TAPS, int DOWN, int ACROSS, class Rows>
__device__ __forceinline__ void add_column_taps(Sum (&sums)[DOWN][ACROSS], const Rows& rows,
                                                const ColumnTaps& taps, int first) {
  Sum own[round_up(TAPS, 4)];
#pragma unroll
  for (int tap = 0; tap < TAPS; tap += 4) {
    const Run<4, Sum> run = taps.read(first + tap);
#pragma unroll
    for (int v = 0; v < 4; ++v) own[tap + v] = run.value[v];
  }
  add_filtered_rows<TAPS, 0>(sums, rows, own, first);
}

template <int DOWN, int ACROSS, class Rows>
__device__ __forceinline__ void add_column_products(Sum (&sums)[DOWN][ACROSS], const Rows& rows,
                                                    const ColumnTaps& taps) {
  constexpr int kStep = smaller(STEP, PROBLEM_FILTER_HEIGHT);
  constexpr int kLeftOver = PROBLEM_FILTER_HEIGHT % kStep;
#pragma unroll 1
  for (int first = 0; first < PROBLEM_FILTER_HEIGHT - kLeftOver; first += kStep)
    add_column_taps<kStep>(sums, rows, taps, first);
  if constexpr (kLeftOver > 0)
    add_column_taps<kLeftOver>(sums, rows, taps, PROBLEM_FILTER_HEIGHT - kLeftOver);
}
