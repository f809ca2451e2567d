// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Where rows are read, and their products with the taps.

#include "boundary.cuh"
#include "geometry.cuh"
#include "taps.cuh"

// The samples of one row that a thread's outputs need, and up to kShift more before, 3 after.
constexpr int kWindow = round_up(kShift + OUTPUTS_X + PROBLEM_FILTER_WIDTH - 1,
                                 LOADING == LOADING_CACHE ? VECTOR : kRunOfOutputs);

// Rows in shared memory, for a tile whose first row is in `slot`.
class SharedRows {
 public:
  __device__ __forceinline__ SharedRows(const Kept* tile, int slot) {
    const int first = in_ring(slot + thread_y() * OUTPUTS_Y);
    rows_ = tile + first * kPitch;
    until_wrap_ = kRing - first;
  }

  // The window of the row that tap row 0 of the thread's first output needs, and of those after.
  __device__ __forceinline__ void read(Sum (&window)[kWindow], int row) const {
    const Kept* begin = kAsync && MARCH > 1 && row >= until_wrap_ ? rows_ - kTileElements : rows_;
    const Kept* start = begin + row * kPitch;
#pragma unroll
    for (int i = 0; i < kWindow; i += kRunOfOutputs) {
      const auto run =
          run_to<Sum>(*reinterpret_cast<const Run<kRunOfOutputs, Kept>*>(start + own_place(i)));
#pragma unroll
      for (int v = 0; v < kRunOfOutputs; ++v) window[i + v] = run.value[v];
    }
  }

 private:
  const Kept* rows_;  // the thread's first row
  int until_wrap_;    // rows from there to the end of the ring
};

// Rows in global memory, for the tile whose first output is at (row, column).
template <bool INTERIOR>
struct CachedRows {
  const Plane& plane;
  int row, column;

  __device__ __forceinline__ void read(Sum (&window)[kWindow], int offset) const {
    const int y = row + thread_y() * OUTPUTS_Y + offset - PROBLEM_ANCHOR_Y;
    const int x = column + thread_x() * OUTPUTS_X - kLeft;
    if (INTERIOR) {
      const Element* start = plane.samples + (y * plane.pitch + x);
#pragma unroll
      for (int i = 0; i < kWindow; i += VECTOR) {
        const auto run = run_to<Sum>(*reinterpret_cast<const Run<VECTOR, Element>*>(start + i));
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) window[i + v] = run.value[v];
      }
      return;
    }
    const int source = source_index(y, plane.height);
    const Element* start = plane.samples + (source < 0 ? 0 : source * plane.pitch);
#pragma unroll
    for (int i = 0; i < kWindow; ++i)
      window[i] = source < 0 ? Sum(0) : to<Sum>(sample_or_ghost(start, x + i, plane.width));
  }
};

// Adds all products of one row of samples with rows `first` … first + ROWS − 1 of the filter. The
// row is the one that tap row first + ROW of the thread's first output needs; then that of the
// next, as far as the outputs need any. Templates write this out, because compilers leave pragmas
// aside where so much code comes of them.
template <int ROWS, int ROW, class Rows>
__device__ __forceinline__ void add_rows(Sum (&sums)[OUTPUTS_Y][OUTPUTS_X], const Rows& rows,
                                         const Taps& taps, int first) {
  Sum window[kWindow];
  rows.read(window, first + ROW);
#pragma unroll
  for (int column = 0; column < PROBLEM_FILTER_WIDTH; column += 4) {
#pragma unroll
    for (int y = 0; y < OUTPUTS_Y; ++y) {
      if (ROW - y < 0 || ROW - y >= ROWS) continue;
      const Run<4, Sum> run = taps.read(first + ROW - y, column);
#pragma unroll
      for (int v = 0; v < 4; ++v) {
        if (column + v >= PROBLEM_FILTER_WIDTH) continue;
#pragma unroll
        for (int x = 0; x < OUTPUTS_X; ++x)
          sums[y][x] += run.value[v] * window[kShift + column + v + x];
      }
    }
  }
  if constexpr (ROW + 1 < OUTPUTS_Y + ROWS - 1) add_rows<ROWS, ROW + 1>(sums, rows, taps, first);
}

template <class Rows>
__device__ __forceinline__ void add_products(Sum (&sums)[OUTPUTS_Y][OUTPUTS_X], const Rows& rows,
                                             const Taps& taps) {
  constexpr int kUnrolled = smaller(UNROLL, PROBLEM_FILTER_HEIGHT);
  constexpr int kLeftOver = PROBLEM_FILTER_HEIGHT % kUnrolled;
#pragma unroll 1
  for (int first = 0; first < PROBLEM_FILTER_HEIGHT - kLeftOver; first += kUnrolled)
    add_rows<kUnrolled, 0>(sums, rows, taps, first);
  if constexpr (kLeftOver > 0)
    add_rows<kLeftOver, 0>(sums, rows, taps, PROBLEM_FILTER_HEIGHT - kLeftOver);
}
