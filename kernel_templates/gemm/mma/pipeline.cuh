// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Tiles of op(A) and op(B) on their way from global memory through STAGES places in shared memory
// to fragments, started STAGES − 1 tiles ahead of their use.

#include "geometry.cuh"
#include "tensor_core.cuh"
#include "tile_loader.cuh"
#include "transposing_loader.cuh"

constexpr bool kAlongKA = PROBLEM_TRANSPOSE_A == TRANSPOSE_A_NO;  // neighbours in memory are ks
constexpr bool kAlongKB = PROBLEM_TRANSPOSE_B == TRANSPOSE_B_YES;
constexpr bool kNarrow = sizeof(ElementA) == 1;
using TileA = SwizzledTile<ElementA, BLOCK_M, BLOCK_K, kAlongKA || kNarrow>;
using TileB = SwizzledTile<ElementB, BLOCK_N, BLOCK_K, kAlongKB || kNarrow>;

// Copies that go on by themselves have four bytes or more.
template <class T, int VECTOR>
constexpr bool kAsync = LOADING == LOADING_ASYNC&& VECTOR * sizeof(T) >= 4;
template <class T, class TILE, bool ALONG_K, int VECTOR>
using Loader = typename Choose<ALONG_K == TILE::kAlongK,
                               TileLoader<T, TILE, kThreads, VECTOR, kAsync<T, VECTOR>>,
                               TransposingLoader<T, TILE, kThreads, VECTOR>>::Type;
using LoaderA = Loader<ElementA, TileA, kAlongKA, VECTOR_A>;
using LoaderB = Loader<ElementB, TileB, kAlongKB, VECTOR_B>;

constexpr int kStageBytes = TileA::kBytes + TileB::kBytes;
static_assert(TileA::kBytes % 128 == 0 && kStageBytes % 128 == 0, "tiles are aligned");

constexpr int kStepDepth = kStepBytes / static_cast<int>(sizeof(ElementA));
constexpr int kSteps = BLOCK_K / kStepDepth;
static_assert(kSteps % FRAGMENTS == 0, "each tile begins with the same fragments");

extern __shared__ __align__(128) char shared[];

// What a warp multiplies in a step.
struct Fragments {
  Fragment<ElementA, Side::rows> a[kRowsOfFragments];
  Fragment<ElementB, Side::columns> b[kColumnsOfFragments];
};

class Pipeline {
 public:
  // Copies from `first_k` of both operands, for the block's tile of C at `block`, and reads for the
  // warp whose tile begins at `warp` in it.
  __device__ __forceinline__ Pipeline(const Operand<ElementA>& a, const Operand<ElementB>& b,
                                      const Place& block, const Place& warp, int first_k)
      : loader_a_(a, block.row, first_k),
        loader_b_(b, block.column, first_k),
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

  LoaderA loader_a_;
  LoaderB loader_b_;
  int place_a_;  // this lane's, in the tiles
  int place_b_;
  int filling_ = 0;  // of the stage, in bytes
  int reading_ = 0;
};
