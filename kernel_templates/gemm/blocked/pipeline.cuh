// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Tiles of op(A) and op(B) on their way from global memory through STAGES places in shared memory,
// started STAGES − 1 tiles ahead of their use.

#include "fragments.cuh"
#include "tile_loader.cuh"

constexpr bool kAsync = LOADING == LOADING_ASYNC;

constexpr bool kInnerA = kIsCompiledIn && kM % BLOCK_M == 0 && kK % BLOCK_K == 0;
constexpr bool kInnerB = kIsCompiledIn && kN % BLOCK_N == 0 && kK % BLOCK_K == 0;

using LoaderA = TileLoader<ElementA, TileElementA, BLOCK_M, BLOCK_K, kThreads, VECTOR_A,
                           kContiguousA, kPositionsA, kInnerA>;
using LoaderB = TileLoader<ElementB, TileElementB, BLOCK_N, BLOCK_K, kThreads, VECTOR_B,
                           kContiguousB, kPositionsB, kInnerB>;

constexpr int kStageBytes = LoaderA::kBytes + LoaderB::kBytes;
static_assert(LoaderA::kBytes % 16 == 0 && LoaderB::kBytes % 16 == 0, "tiles are aligned");

extern __shared__ __align__(16) float shared[];

class Pipeline {
 public:
  // Copies from `first_k` of both operands, for the block's tile of C at `block`, and reads for the
  // thread whose outputs begin at `place` in it.
  __device__ __forceinline__ Pipeline(const Operand<ElementA>& a, const Operand<ElementB>& b,
                                      const MatrixPlace& block, const MatrixPlace& place,
                                      int first_k)
      : loader_a_(a, block.row, first_k, tile_a()),
        loader_b_(b, block.column, first_k, tile_b()),
        a_(tile_a() + LoaderA::index(place.row, 0)),
        b_(tile_b() + LoaderB::index(place.column, 0)) {
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) start();
    finish();
  }

  // Begins to copy the next tiles into the place of those left last by advance().
  __device__ __forceinline__ void start() {
    loader_a_.start<kAsync>();
    loader_b_.start<kAsync>();
    if (kAsync) {
      end_copy_group();
      fill_next();
    }
  }

  // From the tiles being read to those after them, which are whole then. All fragments of the
  // former have been read, by all threads.
  __device__ __forceinline__ void advance() {
    finish();
    const int stages = to_next_stage(reading_);
    a_ += stages * kStageA;
    b_ += stages * kStageB;
  }

  // The fragment from `first_k` on, a constant.
  __device__ __forceinline__ void read(Fragment& fragment, int first_k) const {
    read_fragment(fragment.a, a_,
                  [=](int i, int k) { return LoaderA::index(row_offset(i), first_k + k); });
    read_fragment(fragment.b, b_,
                  [=](int j, int k) { return LoaderB::index(column_offset(j), first_k + k); });
  }

  // Nothing is on its way any more, for this thread.
  __device__ __forceinline__ void drain() {
    if (kAsync) wait_for_copies();
  }

 private:
  // A stage in elements of each tile.
  static constexpr int kStageA = kStageBytes / sizeof(TileElementA);
  static constexpr int kStageB = kStageBytes / sizeof(TileElementB);

  // Those of the first stage.
  static __device__ __forceinline__ TileElementA* tile_a() {
    return reinterpret_cast<TileElementA*>(shared);
  }
  static __device__ __forceinline__ TileElementB* tile_b() {
    return reinterpret_cast<TileElementB*>(reinterpret_cast<char*>(shared) + LoaderA::kBytes);
  }

  __device__ __forceinline__ void finish() {
    if (kAsync) {
      wait_for_copies_but<STAGES - 2>();
    } else {
      loader_a_.finish();
      loader_b_.finish();
      fill_next();
    }
    __syncthreads();
  }

  __device__ __forceinline__ void fill_next() {
    const int stages = to_next_stage(filling_);
    loader_a_.move_target(stages * kStageA);
    loader_b_.move_target(stages * kStageB);
  }

  // Moves on to the next stage; the way there in stages.
  static __device__ __forceinline__ int to_next_stage(int& stage) {
    const bool last = stage == STAGES - 1;
    stage = last ? 0 : stage + 1;
    return last ? -(STAGES - 1) : 1;
  }

  LoaderA loader_a_;
  LoaderB loader_b_;
  const TileElementA* a_;  // this thread's in the tiles being read
  const TileElementB* b_;
  int filling_ = 0;  // stages
  int reading_ = 0;
};

// No tensor maps.
#define MAP_PARAMETERS
#define MAP_ARGUMENTS
