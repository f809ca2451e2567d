// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Tiles of op(A) and op(B) on their way from global memory through STAGES places in shared memory,
// started STAGES − 1 tiles ahead of their use.

#include "fragments.cuh"
#include "tile_loader.cuh"

constexpr bool kAsync = LOADING == LOADING_ASYNC;

#if SHAPE == SHAPE_COMPILED
constexpr bool kInnerA = PROBLEM_M % BLOCK_M == 0 && PROBLEM_K % BLOCK_K == 0;
constexpr bool kInnerB = PROBLEM_N % BLOCK_N == 0 && PROBLEM_K % BLOCK_K == 0;
#else
constexpr bool kInnerA = false;
constexpr bool kInnerB = false;
#endif

using LoaderA =
    TileLoader<BLOCK_M, BLOCK_K, kThreads, VECTOR_A, kContiguousA, kPositionsA, kInnerA>;
using LoaderB =
    TileLoader<BLOCK_N, BLOCK_K, kThreads, VECTOR_B, kContiguousB, kPositionsB, kInnerB>;

constexpr int kStageFloats = LoaderA::kFloats + LoaderB::kFloats;

extern __shared__ __align__(16) float shared[];

class Pipeline {
 public:
  // Copies from `first_k` of both operands, for the block's tile of C at `place`.
  __device__ __forceinline__ Pipeline(const Operand& a, const Operand& b, const Place& place,
                                      int first_k)
      : a_(a, place.row, first_k), b_(b, place.column, first_k) {
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) start();
    finish();
  }

  // Begins to copy the next tiles into the place of those left last by advance().
  __device__ __forceinline__ void start() {
    a_.start<kAsync>(shared + filling_);
    b_.start<kAsync>(shared + filling_ + LoaderA::kFloats);
    if (kAsync) {
      end_copy_group();
      filling_ = next(filling_);
    }
  }

  // From the tiles being read to those after them, which are whole then. All fragments of the
  // former have been read, by all threads.
  __device__ __forceinline__ void advance() {
    finish();
    reading_ = next(reading_);
  }

  // The fragment from `first_k` on, of the thread whose outputs are at `place`.
  __device__ __forceinline__ void read(Fragment& fragment, int first_k, const Place& place) const {
    read_fragment(fragment.a, shared + reading_,
                  [&](int i, int k) { return LoaderA::index(output_row(place, i), first_k + k); });
    read_fragment(fragment.b, shared + reading_ + LoaderA::kFloats, [&](int j, int k) {
      return LoaderB::index(output_column(place, j), first_k + k);
    });
  }

  // Nothing is on its way any more, for this thread.
  __device__ __forceinline__ void drain() {
    if (kAsync) wait_for_copies();
  }

 private:
  __device__ __forceinline__ void finish() {
    if (kAsync) {
      wait_for_copies_but<STAGES - 2>();
    } else {
      a_.finish(shared + filling_);
      b_.finish(shared + filling_ + LoaderA::kFloats);
      filling_ = next(filling_);
    }
    __syncthreads();
  }

  static __device__ __forceinline__ int next(int stage) {
    return stage == (STAGES - 1) * kStageFloats ? 0 : stage + kStageFloats;
  }

  LoaderA a_;
  LoaderB b_;
  int filling_ = 0;  // where in shared memory the stages begin
  int reading_ = 0;
};
