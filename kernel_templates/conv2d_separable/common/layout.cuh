// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The threads of a block, and tiles of an image that have a halo along their rows.

#include "integers.cuh"
#include "plane.cuh"

template <int X, int Y>
struct BlockOf {
  static constexpr int kX = X;
  static constexpr int kThreads = X * Y;

  static __device__ __forceinline__ int x() { return static_cast<int>(threadIdx.x); }
  static __device__ __forceinline__ int y() { return static_cast<int>(threadIdx.y); }
  static __device__ __forceinline__ int index() { return y() * X + x(); }
};

// For tile_loading.cuh and bulk_tile_loading.cuh: ROWS rows of OUTPUTS columns a thread. Columns
// are kept from a multiple of kAlign on: kLeft before the tile's first one, of which the first
// kShift are not needed.
template <class Block, int OUTPUTS, int ROWS, bool ASYNC, bool BULK>
struct RowLayout {
  // Copies that go on by themselves change no type.
  using Kept = typename Choose<ASYNC || BULK, Element, Sum>::Type;
  static constexpr int kThreads = Block::kThreads;
  static constexpr int kVector = VECTOR;
  static constexpr bool kAsync = ASYNC;
  static constexpr int kAlign = BULK && sizeof(Element) < 4 ? 8 : VECTOR;  // boxes: of 16 bytes
  static constexpr int kShift = (kAlign - PROBLEM_ANCHOR_X % kAlign) % kAlign;
  static constexpr int kLeft = PROBLEM_ANCHOR_X + kShift;
  static constexpr int kTileColumns = Block::kX * OUTPUTS;
  static constexpr int kNeeded = kShift + kTileColumns + PROBLEM_FILTER_WIDTH - 1;
  static constexpr int kVectors = (kNeeded + VECTOR - 1) / VECTOR;
  static constexpr int kPitch = round_up(kNeeded, kAlign < 4 ? 4 : kAlign);
  static constexpr int kColumns = kPitch;
  static constexpr int kRows = ROWS;
  static constexpr int kOwn = kTileColumns / VECTOR;
  static constexpr bool kOwnAreKept = kLeft >= 0 && kLeft / VECTOR + kOwn <= kVectors;
  static constexpr int kFirstOwn = kOwnAreKept ? kLeft / VECTOR : 0;
  static_assert(!BULK || (VECTOR == 4 && kTileColumns % kAlign == 0),
                "boxes begin at multiples of 16 bytes");
  static_assert(kTileColumns % VECTOR == 0, "tiles begin at a vector");

  static __device__ __forceinline__ int thread() { return Block::index(); }
  static __device__ __forceinline__ int place(int row, int column) { return row * kPitch + column; }
};
