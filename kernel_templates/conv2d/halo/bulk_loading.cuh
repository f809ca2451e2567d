// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Tiles with their halo as boxes of the image's tensor map: one thread starts the copy, the
// hardware does it while the block computes. Beyond the image it puts zeros; with another boundary
// tiles at the image's edges are loaded by all threads instead.

#include "bulk_copy.cuh"
#include "loading.cuh"

static_assert(kSameType<Element, float>, "a run of four is 16 bytes");
static_assert(kLeft % 4 == 0 && kTileColumns % 4 == 0, "boxes begin at multiples of 16 bytes");

// Loads one tile after the other. All threads call all functions together.
class BulkLoader {
 public:
  // `map` is of all planes, its boxes kPitch × kRows × 1.
  __device__ __forceinline__ BulkLoader(const TensorMap& map, BulkBarrier* barrier)
      : map_(map), barrier_(barrier) {
    if (thread_index() == 0) init_barrier(barrier);
    __syncthreads();
  }

  template <int ROWS>
  __device__ __forceinline__ void start(Kept* tile, int slot, const Plane& plane, int row,
                                        int column) {
    static_assert(ROWS == kRows, "a box is a whole tile with its halo");
    by_box_ = PROBLEM_BOUNDARY == BOUNDARY_ZERO || is_interior<kRows>(plane, row, column);
    if (!by_box_) {
      load_rows<HaloTile, Reach::ghosts, kRows>({tile, slot, plane, row, column});
      proxy_fence();
    } else if (thread_index() == 0) {
      expect_bytes(barrier_, 4 * kRows * kPitch);
      start_box(tile + slot * kPitch, map_, column, row, plane.index, barrier_);
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
