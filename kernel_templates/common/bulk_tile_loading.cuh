// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Tiles with their halo as boxes of the image's tensor map: one thread starts the copy, the
// hardware does it while the block computes. Beyond the image it puts zeros; with another boundary
// tiles at the image's edges are loaded by all threads instead.
//
// Beside what tile_loading.cuh asks of it, a TILE has kRows and kPitch, the size of a box in
// elements. A row is a multiple of 16 bytes, and a tile begins at one, along the image too.

#include "bulk_copy.cuh"
#include "tile_loading.cuh"

// Whether a box brings ROWS rows from there, rather than the threads.
template <class TILE, int ROWS>
__device__ __forceinline__ bool comes_as_box(const Plane& plane, int row, int column) {
  return kGhostsAreZero || is_interior<TILE, ROWS>(plane, row, column);
}

// By one thread.
template <class TILE>
__device__ __forceinline__ void start_tile(typename TILE::Kept* tile, int slot,
                                           const TensorMap& map, const Plane& plane, int row,
                                           int column, BulkBarrier* barrier) {
  constexpr int kBytes = static_cast<int>(sizeof(typename TILE::Kept)) * TILE::kRows * TILE::kPitch;
  expect_bytes(barrier, kBytes);
  start_box(tile + slot * TILE::kPitch, map, column, row, plane.index, barrier);
}

// Loads one tile after the other. All threads call all functions together.
template <class TILE>
class BulkLoader {
  using Kept = typename TILE::Kept;

 public:
  // `map` is of all planes, its boxes kPitch × kRows × 1.
  __device__ __forceinline__ BulkLoader(const TensorMap& map, BulkBarrier* barrier)
      : map_(map), barrier_(barrier) {
    if (TILE::thread() == 0) init_barrier(barrier);
    __syncthreads();
  }

  template <int ROWS>
  __device__ __forceinline__ void start(Kept* tile, int slot, const Plane& plane, int row,
                                        int column) {
    static_assert(ROWS == TILE::kRows, "a box is a whole tile with its halo");
    by_box_ = comes_as_box<TILE, ROWS>(plane, row, column);
    if (!by_box_) {
      load_rows<TILE, Reach::ghosts, ROWS>({tile, slot, plane, row, column});
      proxy_fence();
    } else if (TILE::thread() == 0) {
      start_tile<TILE>(tile, slot, map_, plane, row, column, barrier_);
    }
  }

  // Until the tile that was started last is there, and no thread reads the one before any more.
  __device__ __forceinline__ void finish() {
    if (by_box_) {
      wait_for_bytes(barrier_, parity_);
      parity_ ^= 1;
    }
    __syncthreads();
  }

 private:
  const TensorMap& map_;
  BulkBarrier* barrier_;
  unsigned parity_ = 0;  // of the next copy
  bool by_box_ = false;  // whether a copy brings the tile that was started last
};
