// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// How rows of the image come into shared memory by the threads themselves.

#include "geometry.cuh"
#include "tile_loading.cuh"

#if LOADING != LOADING_CACHE

struct HaloTile {
  using Kept = ::Kept;
  static constexpr bool kAsync = ::kAsync;
  static constexpr int kThreads = ::kThreads;
  static constexpr int kVector = VECTOR;
  static constexpr int kVectors = ::kVectors;

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

struct ThreadLoader {
  // ROWS rows of the image from `row`, all columns that are kept from `column` on.
  template <int ROWS>
  __device__ __forceinline__ void start(Kept* tile, int slot, const Plane& plane, int row,
                                        int column) const {
    load_rows<HaloTile, ROWS>({tile, slot, plane, row, column},
                              is_interior<ROWS>(plane, row, column));
  }

  // Everything that was started is ready.
  __device__ __forceinline__ void finish() const {
    if (kAsync) wait_for_copies();
    __syncthreads();
  }
};

#endif
