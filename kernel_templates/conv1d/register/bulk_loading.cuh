// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Tiles with their halo by bulk copies: one warp starts them, the hardware does them while the
// block computes. Tiles at a signal's ends are loaded by all threads instead.

#include "bulk_copy.cuh"
#include "loading.cuh"

static_assert(kSameType<Element, float>, "a run of four is 16 bytes");

// Loads one tile after the other. All threads call all functions together.
class BulkLoader {
 public:
  explicit __device__ __forceinline__ BulkLoader(BulkBarrier* barrier) : barrier_(barrier) {
    if (threadIdx.x == 0) init_barrier(barrier);
    __syncthreads();
  }

  __device__ __forceinline__ void start(Kept* tile, const Signal& signal, int start) {
    const int first = start - kLeft;
    by_copy_ = is_interior(signal, first);
    if (by_copy_) {
      if (threadIdx.x < 32) copy_runs(tile, signal.samples + first);
    } else {
      load_ends(tile, signal, first);
      proxy_fence();
    }
  }

  // Until the tile that was started last is there, and no thread uses the one before any more.
  __device__ __forceinline__ void finish() {
    if (by_copy_) {
      wait_for_bytes(barrier_, parity_);
      parity_ ^= 1;
    }
    release();
  }

  // No thread uses any more what was loaded.
  __device__ __forceinline__ void release() const {
    if (STORING == STORING_SHARED) proxy_fence();  // outputs were where the next tile goes
    __syncthreads();
  }

 private:
  // By a whole warp. Rows of banks are copied one by one where a gap follows each.
  __device__ __forceinline__ void copy_runs(Kept* tile, const Element* source) const {
    constexpr int kRunsOfCopy = kSkewed ? 8 : kRuns;
    const int lane = static_cast<int>(threadIdx.x);
    if (lane == 0) expect_bytes(barrier_, 16 * kRuns);
    __syncwarp();
    for (int run = lane * kRunsOfCopy; run < kRuns; run += 32 * kRunsOfCopy)
      start_bytes(tile + place(4 * run), source + 4 * run,
                  static_cast<unsigned>(16 * smaller(kRunsOfCopy, kRuns - run)), barrier_);
  }

  BulkBarrier* barrier_;
  unsigned parity_ = 0;   // of the next copies
  bool by_copy_ = false;  // whether they bring the tile that was started last
};
