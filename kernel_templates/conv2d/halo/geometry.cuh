// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Sizes and places that all of conv2d/halo shares.

#include "filter_taps.cuh"
#include "integers.cuh"
#include "plane.cuh"
#include "tile_writing.cuh"

constexpr int kThreads = BLOCK_X * BLOCK_Y;
constexpr int kTileColumns = BLOCK_X * OUTPUTS_X;
constexpr int kTileRows = BLOCK_Y * OUTPUTS_Y;
constexpr bool kAsync = LOADING == LOADING_ASYNC;
constexpr bool kBulk = LOADING == LOADING_BULK;
constexpr bool kAhead = kAsync || kBulk;  // the next tile of a march is loaded during this one

// Rows of the image that a tile needs, and rows kept in shared memory, where row n of a march
// lies in slot n % kRing. Copies that go on during a tile's computation have a tile of their own.
// Bulk copies bring whole tiles with their halo, to two buffers in turn, each of which begins at a
// multiple of 128 bytes.
constexpr int kRows = kTileRows + PROBLEM_FILTER_HEIGHT - 1;
constexpr int kBuffers = kBulk && MARCH > 1 ? 2 : 1;
constexpr int kBufferRows = kBuffers > 1 ? round_up(kRows, 8) : kRows;
constexpr int kRing =
    kBulk ? kBuffers * kBufferRows : kRows + (kAsync && MARCH > 1 ? kTileRows : 0);

// For the next tile of a march: how far behind this one's first slot its own lies, where new rows
// go, and how many are new.
constexpr int kNextSlot = kBulk ? kBufferRows : kTileRows;
constexpr int kNewSlot = kBulk ? kBufferRows : kRows;
constexpr int kNewRows = kBulk ? kRows : kTileRows;

// Columns are kept from a multiple of VECTOR on: kLeft before the tile's first one, of which the
// first kShift are not needed.
constexpr int kShift = (VECTOR - PROBLEM_ANCHOR_X % VECTOR) % VECTOR;
constexpr int kLeft = PROBLEM_ANCHOR_X + kShift;
constexpr int kNeeded = kShift + kTileColumns + PROBLEM_FILTER_WIDTH - 1;
constexpr int kVectors = (kNeeded + VECTOR - 1) / VECTOR;

// Shared memory is read in runs. Threads that take eight outputs each would all read every second
// run, from half of the banks. So even runs lie in a first part of their row, odd ones in a second,
// and neighbours read side by side. The parts begin half of the banks apart: a row is written
// without conflicts, too. (Boxes have no parts.)
constexpr bool kParted = OUTPUTS_X == 8 && !kBulk;
constexpr int kRuns = round_up(kNeeded, 4) / 4;
constexpr int kPitch = 4 * (kParted ? round_up(kRuns - 8, 16) + 8 : kRuns);
constexpr int kTileElements = LOADING == LOADING_CACHE ? 0 : kRing * kPitch;

// What samples are kept as: copies that go on by themselves change no type.
using Kept = Choose<kAhead, Element, Sum>::Type;
constexpr int kTileBytes = round_up(kTileElements * static_cast<int>(sizeof(Kept)), 16);

__device__ __forceinline__ int thread_x() {
  return static_cast<int>(threadIdx.x);
}
__device__ __forceinline__ int thread_y() {
  return static_cast<int>(threadIdx.y);
}
__device__ __forceinline__ int thread_index() {
  return thread_y() * BLOCK_X + thread_x();
}

// The place in its row of a column counted from the first that is kept.
__device__ __forceinline__ int place(int column) {
  const int run = column >> 2;
  return kParted ? (run & 1) * (kPitch / 2) + (run >> 1) * 4 + (column & 3) : column;
}

// The same for the thread's own first column and `offset` more, a multiple of kRunOfOutputs.
__device__ __forceinline__ int own_place(int offset) {
  return kParted ? thread_x() * 4 + place(offset) : thread_x() * OUTPUTS_X + offset;
}

__device__ __forceinline__ int in_ring(int slot) {
  return MARCH > 1 && slot >= kRing ? slot - kRing : slot;
}

// For tile_loading.cuh, with the size of a box for bulk_tile_loading.cuh.
struct HaloTile {
  using Kept = ::Kept;
  static constexpr bool kAsync = ::kAsync;
  static constexpr int kThreads = ::kThreads;
  static constexpr int kVector = VECTOR;
  static constexpr int kVectors = ::kVectors;
  static constexpr int kColumns = 4 * kRuns;
  static constexpr int kRows = ::kRows;
  static constexpr int kPitch = ::kPitch;

  static constexpr int kOwnVectors = kTileColumns / VECTOR;
  static constexpr bool kSplits = LOADING == LOADING_SPLIT || LOADING == LOADING_ASYNC;
  static constexpr bool kOwnAreKept = kLeft >= 0 && kLeft / VECTOR + kOwnVectors <= kVectors;
  static constexpr int kOwn = kSplits ? kOwnVectors : kVectors;
  static constexpr int kFirstOwn = kSplits && kOwnAreKept ? kLeft / VECTOR : 0;

  static __device__ __forceinline__ int thread() { return thread_index(); }
  static __device__ __forceinline__ int place(int row, int column) {
    return in_ring(row) * kPitch + ::place(column);
  }
};
