// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// In place of pipeline.cuh: tiles of op(A) and op(B) come as boxes of tensor maps, which one thread
// asks for, STAGES − 1 tiles ahead of their use. A barrier for each stage tells when both tiles are
// there. Beyond a matrix the hardware puts zeros.

#include "bulk_copy.cuh"
#include "fragments.cuh"
#include "operand.cuh"

static_assert(kSameType<ElementA, float> && kSameType<ElementB, float>, "boxes hold floats");
static_assert(kPositionsA == kContiguousA && kPositionsB == kContiguousB,
              "boxes lie as in global memory");
static_assert(kWarpM % 8 == 0 && kWarpN % 8 == 0, "warps begin where swizzles do");

// A box in shared memory: a k in each row, or with POSITIONS a position, whose runs of four ks then
// change places within the row, so that what is read from neighbouring rows lies in other banks.
template <int EXTENT, bool POSITIONS>
struct BoxTile {
  static constexpr int kFloats = EXTENT * BLOCK_K;

  // Exclusive or with this takes a k to its place in the row of `position`.
  static __device__ __forceinline__ constexpr int swizzle(int position) {
    const unsigned row = 4 * BLOCK_K * static_cast<unsigned>(position);
    return POSITIONS ? static_cast<int>(swizzled<4 * BLOCK_K>(row) - row) / 4 : 0;
  }

  // Where a thread's first position lies, which has the swizzle `own`, and how far from there the
  // position `offset` further is at `k`. No lane's first position has a bit of an offset that is
  // less than 8, so the swizzles of their sum are those of both.
  static __device__ __forceinline__ int first(int position) {
    return POSITIONS ? position * BLOCK_K : position;
  }
  static __device__ __forceinline__ int index(int offset, int k, int own) {
    return POSITIONS ? offset * BLOCK_K + (k ^ swizzle(offset) ^ own) : k * EXTENT + offset;
  }
};

using TileA = BoxTile<BLOCK_M, kPositionsA>;
using TileB = BoxTile<BLOCK_N, kPositionsB>;

constexpr int kStageFloats = TileA::kFloats + TileB::kFloats;

// The tiles of STAGES stages, then their barriers. A box of the widest swizzle begins at a multiple
// of 1024 bytes.
extern __shared__ __align__(1024) float shared[];

// A matrix of the batch that a map, of boxes as large as a tile, is of.
struct BoxedOperand {
  const TensorMap& map;
  int matrix;
};

class Pipeline {
 public:
  // Copies from `first_k` of both operands, for the block's tile of C at `block`, and reads for the
  // thread whose outputs begin at `place` in it. Maps are read in place of the operands' data.
  __device__ __forceinline__ Pipeline(const Operand<ElementA>& operand, const Operand<ElementB>&,
                                      const MatrixPlace& block, const MatrixPlace& place,
                                      int first_k, const BoxedOperand& a, const BoxedOperand& b)
      : operand_a_(a),
        operand_b_(b),
        block_(block),
        next_k_(first_k),
        last_k_(operand.depth),
        a_(shared + TileA::first(place.row)),
        b_(shared + TileA::kFloats + TileB::first(place.column)),
        swizzle_a_(TileA::swizzle(place.row)),
        swizzle_b_(TileB::swizzle(place.column)) {
    if (threadIdx.x == 0) {
      prefetch_map(a.map);
      prefetch_map(b.map);
#pragma unroll
      for (int stage = 0; stage < STAGES; ++stage) init_barrier(barrier(stage));
    }
    __syncthreads();
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) start();
    finish();
  }

  // Begins to copy the next tiles into the place of those left last by advance(). After the last
  // tiles there is nothing to wait for, and nothing is on its way when the block ends.
  __device__ __forceinline__ void start() {
    if (threadIdx.x == 0) {
      const bool any = next_k_ < last_k_;
      expect_bytes(barrier(filling_), any ? 4 * kStageFloats : 0);
      if (any) {
        float* const tile = shared + filling_ * kStageFloats;
        start_tile<kContiguousA>(operand_a_, block_.row, tile);
        start_tile<kContiguousB>(operand_b_, block_.column, tile + TileA::kFloats);
      }
    }
    next_k_ += BLOCK_K;
    filling_ = filling_ == STAGES - 1 ? 0 : filling_ + 1;
  }

  // From the tiles being read to those after them, which are whole then. All fragments of the
  // former have been read, by all threads.
  __device__ __forceinline__ void advance() {
    const bool last = reading_ == STAGES - 1;
    const int floats = last ? -(STAGES - 1) * kStageFloats : kStageFloats;
    reading_ = last ? 0 : reading_ + 1;
    if (last) parity_ ^= 1;
    a_ += floats;
    b_ += floats;
    finish();
  }

  // The fragment from `first_k` on, a constant.
  __device__ __forceinline__ void read(Fragment& fragment, int first_k) const {
    read_fragment(fragment.a, a_, [=](int i, int k) {
      return TileA::index(row_offset(i), first_k + k, swizzle_a_);
    });
    read_fragment(fragment.b, b_, [=](int j, int k) {
      return TileB::index(column_offset(j), first_k + k, swizzle_b_);
    });
  }

  // Nothing is on its way any more.
  __device__ __forceinline__ void drain() {}

 private:
  static __device__ __forceinline__ BulkBarrier* barrier(int stage) {
    return reinterpret_cast<BulkBarrier*>(shared + STAGES * kStageFloats) + stage;
  }

  // The box at position `first` and the next k.
  template <bool K_CONTIGUOUS>
  __device__ __forceinline__ void start_tile(const BoxedOperand& operand, int first, float* tile) {
    start_box(tile, operand.map, K_CONTIGUOUS ? next_k_ : first, K_CONTIGUOUS ? first : next_k_,
              operand.matrix, barrier(filling_));
  }

  __device__ __forceinline__ void finish() {
    wait_for_bytes(barrier(reading_), parity_);
    __syncthreads();
  }

  BoxedOperand operand_a_;
  BoxedOperand operand_b_;
  MatrixPlace block_;
  int next_k_;
  int last_k_;
  const float* a_;  // this thread's in the tiles being read
  const float* b_;
  int swizzle_a_;
  int swizzle_b_;
  int filling_ = 0;  // stages
  int reading_ = 0;
  unsigned parity_ = 0;  // of the round that brings what is read
};

#define MAP_PARAMETERS \
  , const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b
#define MAP_ARGUMENTS    \
  , {map_a, matrix_a}, { \
    map_b, matrix_b      \
  }
