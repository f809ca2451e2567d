// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Where rows are read (filter_products.cuh).

#include "boundary.cuh"
#include "geometry.cuh"

// The samples of one row that a thread's outputs need, and up to kShift more before, 3 after.
constexpr int kWindow = round_up(kShift + OUTPUTS_X + PROBLEM_FILTER_WIDTH - 1,
                                 LOADING == LOADING_CACHE ? VECTOR : kRunOfOutputs);

struct WindowSize {
  static constexpr int kWindow = ::kWindow;
  static constexpr int kShift = ::kShift;
};

// Rows in shared memory, for a tile whose first row is in `slot`.
class SharedRows : public WindowSize {
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
class CachedRows : public WindowSize {
 public:
  __device__ __forceinline__ CachedRows(const Plane& plane, int row, int column)
      : plane_(plane), row_(row), column_(column) {}

  __device__ __forceinline__ void read(Sum (&window)[kWindow], int offset) const {
    const int y = row_ + thread_y() * OUTPUTS_Y + offset - PROBLEM_ANCHOR_Y;
    const int x = column_ + thread_x() * OUTPUTS_X - kLeft;
    if (INTERIOR) {
      const Element* start = plane_.samples + (y * plane_.pitch + x);
#pragma unroll
      for (int i = 0; i < kWindow; i += VECTOR) {
        const auto run = run_to<Sum>(*reinterpret_cast<const Run<VECTOR, Element>*>(start + i));
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) window[i + v] = run.value[v];
      }
      return;
    }
    const int source = source_index(y, plane_.height);
    const Element* start = plane_.samples + (source < 0 ? 0 : source * plane_.pitch);
#pragma unroll
    for (int i = 0; i < kWindow; ++i)
      window[i] = source < 0 ? Sum(0) : to<Sum>(sample_or_ghost(start, x + i, plane_.width));
  }

 private:
  const Plane& plane_;
  int row_, column_;
};
