// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Tiles of two factors on their way from global memory through STAGES places in shared memory to
// fragments, started STAGES − 1 tiles ahead of their use, and their products.

#include "async_copy.cuh"
#include "geometry.cuh"
#include "tensor_core.cuh"

extern __shared__ __align__(128) char shared[];

// Each factor has a loader for its tiles; tile_loader.cuh says what one does.
template <class LOADER_A, class LOADER_B>
class Pipeline {
  using TileA = typename LOADER_A::Tile;
  using TileB = typename LOADER_B::Tile;
  static constexpr int kStageBytes = TileA::kBytes + TileB::kBytes;
  static_assert(TileA::kBytes % 128 == 0 && kStageBytes % 128 == 0, "tiles are aligned");
  static constexpr int kStepDepth = kStepBytes / static_cast<int>(sizeof(typename TileA::Element));

 public:
  // Of a tile.
  static constexpr int kSteps = BLOCK_K / kStepDepth;
  static_assert(kSteps % FRAGMENTS == 0, "each tile begins with the same fragments");

  // What a warp multiplies in a step.
  struct Fragments {
    Fragment<typename TileA::Element, Side::rows> a[kRowsOfFragments];
    Fragment<typename TileB::Element, Side::columns> b[kColumnsOfFragments];
  };

  // Copies what the loaders bring, and reads for the warp whose tile begins at `warp` in the
  // block's.
  __device__ __forceinline__ Pipeline(const LOADER_A& a, const LOADER_B& b, const MatrixPlace& warp)
      : loader_a_(a),
        loader_b_(b),
        place_a_(lane_place<TileA, Side::rows>(warp.row)),
        place_b_(lane_place<TileB, Side::columns>(warp.column)) {
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) {
      start();
      finish();
    }
    wait();
  }

  // Begins to copy the next tiles into the place of those left last by advance().
  __device__ __forceinline__ void start() {
    loader_a_.start(shared + filling_);
    loader_b_.start(shared + filling_ + TileA::kBytes);
    end_copy_group();
  }

  // From the tiles being read to those after them, which are whole then. All fragments of the
  // former have been read, by all threads.
  __device__ __forceinline__ void advance() {
    finish();
    wait();
    to_next_stage(reading_);
  }

  // The fragments of step `step`, a constant.
  __device__ __forceinline__ void read(Fragments& fragments, int step) const {
    const char* const tile_a = shared + reading_;
#pragma unroll
    for (int i = 0; i < kRowsOfFragments; ++i)
      read_fragment<TileA>(fragments.a[i], tile_a, place_a_, 16 * i, step * kStepDepth);
#pragma unroll
    for (int j = 0; j < kColumnsOfFragments; ++j)
      read_fragment<TileB>(fragments.b[j], tile_a + TileA::kBytes, place_b_, 16 * j,
                           step * kStepDepth);
  }

  // Nothing is on its way any more, for all threads.
  __device__ __forceinline__ void drain() {
    wait_for_copies();
    __syncthreads();
  }

 private:
  // Tiles that came through registers go to shared memory.
  __device__ __forceinline__ void finish() {
    loader_a_.finish(shared + filling_);
    loader_b_.finish(shared + filling_ + TileA::kBytes);
    to_next_stage(filling_);
  }

  __device__ __forceinline__ void wait() {
    wait_for_copies_but<STAGES - 2>();
    __syncthreads();
  }

  static __device__ __forceinline__ void to_next_stage(int& stage) {
    stage = stage == (STAGES - 1) * kStageBytes ? 0 : stage + kStageBytes;
  }

  LOADER_A loader_a_;
  LOADER_B loader_b_;
  int place_a_;  // this lane's, in the tiles
  int place_b_;
  int filling_ = 0;  // of the stage, in bytes
  int reading_ = 0;
};

// The products of one step. Neighbours share a fragment.
template <class FRAGMENTS_OF_STEP>
__device__ __forceinline__ void multiply_add(Sums& sums, const FRAGMENTS_OF_STEP& fragments) {
#pragma unroll
  for (int j = 0; j < kColumnsOfProducts; ++j)
#pragma unroll
    for (int m = 0; m < kRowsOfFragments; ++m) {
      const int i = j % 2 == 0 ? m : kRowsOfFragments - 1 - m;
      multiply_add(sums[i][j], fragments.a[i], fragments.b[j / 2], j % 2);
    }
}

// The products of `tiles` tiles from where the pipeline stands.
template <class PIPELINE>
__device__ __forceinline__ void add_products(Sums& sums, PIPELINE& pipeline, int tiles) {
  constexpr int kAhead = FRAGMENTS - 1;
  constexpr int kSteps = PIPELINE::kSteps;
  typename PIPELINE::Fragments fragments[FRAGMENTS];
  if constexpr (kAhead > 0) pipeline.read(fragments[0], 0);
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (kAhead > 0 && step == kSteps - kAhead) pipeline.advance();
      const int next = step + kAhead;
      pipeline.read(fragments[next % FRAGMENTS], next % kSteps);
      if (step == 0) pipeline.start();
      multiply_add(sums, fragments[step % FRAGMENTS]);
    }
    if (kAhead == 0) pipeline.advance();
  }
}
