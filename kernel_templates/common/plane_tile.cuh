// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// A tile of a plane with its halo in shared memory, for kernels that go from plane to plane of a
// volume. Sizes follow from the parameters BLOCK_X, BLOCK_Y, OUTPUTS_X, OUTPUTS_Y, VECTOR and
// LOADING (split: by the threads, the tile's own columns first; async: likewise, by copies that go
// on meanwhile; bulk: as a box of a tensor map).

#include "filter_types.cuh"
#include "integers.cuh"
#include "tile_loading.cuh"

constexpr int kThreads = BLOCK_X * BLOCK_Y;
constexpr int kTileColumns = BLOCK_X * OUTPUTS_X;
constexpr int kTileRows = BLOCK_Y * OUTPUTS_Y;

__device__ __forceinline__ int thread_x() {
  return static_cast<int>(threadIdx.x);
}
__device__ __forceinline__ int thread_y() {
  return static_cast<int>(threadIdx.y);
}
__device__ __forceinline__ int thread_index() {
  return thread_y() * BLOCK_X + thread_x();
}

// A tile of COLUMNS × ROWS samples in all, the first of them LEFT columns before the block's first
// output. Columns are kept from a multiple of VECTOR on: kLeft before the block's first, of which
// the first kShift are not needed. With PAD, that many rows and
// 128 bytes before and after the tile may be read, and are never written.
template <int LEFT, int COLUMNS, int ROWS, int PAD = 0>
struct PlaneTile {
  static constexpr int kThreads = ::kThreads;
  static constexpr int kVector = VECTOR;
  static constexpr bool kAsync = LOADING == LOADING_ASYNC;

  static constexpr int kShift = (VECTOR - LEFT % VECTOR) % VECTOR;
  static constexpr int kLeft = LEFT + kShift;
  static constexpr int kVectors = round_up(kShift + COLUMNS, VECTOR) / VECTOR;
  static constexpr int kOwnVectors = kTileColumns / VECTOR;
  static constexpr bool kOwnAreKept = kLeft >= 0 && kLeft / VECTOR + kOwnVectors <= kVectors;
  static constexpr int kOwn = kOwnAreKept ? kOwnVectors : kVectors;
  static constexpr int kFirstOwn = kOwnAreKept ? kLeft / VECTOR : 0;

  static constexpr int kRows = ROWS;
  static constexpr int kColumns = kVectors * VECTOR;
  static constexpr int kPitch = round_up(kVectors * VECTOR, 4);

  // Copies that go on by themselves change no type. Tiles begin at multiples of 128 bytes.
  using Kept = typename Choose<LOADING == LOADING_SPLIT, Sum, Element>::Type;
  // Of the tile's first sample in its slot.
  static constexpr int kBegin = PAD * kPitch + (PAD > 0 ? 128 / static_cast<int>(sizeof(Kept)) : 0);
  static constexpr int kSlot =
      round_up((kRows * kPitch + 2 * kBegin) * static_cast<int>(sizeof(Kept)), 128) /
      static_cast<int>(sizeof(Kept));

  static __device__ __forceinline__ int thread() { return thread_index(); }
  static __device__ __forceinline__ int place(int row, int column) { return row * kPitch + column; }
};

// The samples of `row` from the thread's first column on, COUNT of them, which is a multiple of
// RUN.
template <int RUN, int COUNT, class KEPT>
__device__ __forceinline__ void read_samples(Sum (&samples)[COUNT], const KEPT* row) {
#pragma unroll
  for (int i = 0; i < COUNT; i += RUN) {
    const auto run = run_to<Sum>(*reinterpret_cast<const Run<RUN, KEPT>*>(row + i));
#pragma unroll
    for (int v = 0; v < RUN; ++v) samples[i + v] = run.value[v];
  }
}
