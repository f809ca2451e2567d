// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The sums of one consumer, and how stages of the ring are multiplied into them. A thread has, of
// each band of 64 left positions, those at 16 · warp + lane / 4 and 8 further, and with each the
// right positions 8 j + lane % 4 · 2 and the next.

#include "instruction.cuh"
#include "loading.cuh"

// Float8 products are summed in few bits within the instruction (about 14 on sm_90), so what a
// stage adds up goes to sums of whole floats.
constexpr bool kPromotes = sizeof(ElementA) == 1 && kSameType<Accumulator, float>;

struct Sums {
  Accumulator value[kBands][kColumns / 2];
};

// What a multiplication reads: the tile in shared memory, from a position and a k of it on. Groups
// of eight rows are 8 · row bytes apart, chunks of positions a chunk. In a cluster a shared address
// has the block's rank in its upper bits, which must not come into the descriptor.
template <class TILE>
__device__ __forceinline__ unsigned long long descriptor(const unsigned char* tile, int position,
                                                         int k) {
  constexpr unsigned kSwizzle = TILE::kRowBytes == 128 ? 1 : TILE::kRowBytes == 64 ? 2 : 3;
  constexpr unsigned kHigh = 8 * TILE::kRowBytes >> 4 | kSwizzle << 30;
  constexpr unsigned kLow = (TILE::kAlongK ? 1U : TILE::kChunkBytes >> 4) << 16;
  const unsigned low =
      kLow + ((shared_address(tile) & 0x3ffffU) >> 4) + (TILE::offset(position, k) >> 4);
  return static_cast<unsigned long long>(kHigh) << 32 | low;
}

// The compiler must not move or copy sums while multiplications are under way.
__device__ __forceinline__ void pin(float& sum) {
  asm volatile("" : "+f"(sum)::"memory");
}
__device__ __forceinline__ void pin(int& sum) {
  asm volatile("" : "+r"(sum)::"memory");
}
__device__ __forceinline__ void pin(Sums& sums) {
#pragma unroll
  for (int band = 0; band < kBands; ++band)
#pragma unroll
    for (int i = 0; i < kColumns / 2; ++i) pin(sums.value[band][i]);
}

// Starts the products of a stage, of the left positions from `left` on. `fresh`: they take the
// place of what the sums are.
__device__ __forceinline__ void start_products(Sums& sums, const Stage& stage, int left,
                                               bool fresh) {
  pin(sums);
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
#pragma unroll
  for (int k = 0; k < kBlockK; k += kMultiplyK)
#pragma unroll
    for (int band = 0; band < kBands; ++band)
      Instruction<kColumns>::run(
          sums.value[band], descriptor<LeftTile>(stage.left(), left + 64 * band, k),
          descriptor<RightTile>(stage.right(), 0, k), k > 0 || !fresh ? 1 : 0);
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
  pin(sums);
}

// Until the products of all but the STAGES_LEFT stages started last are in the sums.
template <int STAGES_LEFT>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(STAGES_LEFT) : "memory");
}

// Multiplies `steps` stages from `ring` on, which advances, and releases each when its products are
// in the sums. Returns the last one, which finish_products() releases if two are IN_FLIGHT.
__device__ __forceinline__ Stage add_products(Sums& sums, RingPlace& ring, int left, int steps,
                                              const ClusterPlace& place) {
  Stage before = {0};
  for (int step = 0; step < steps; ++step) {
    wait_for_bytes(ring.stage.filled(), ring.parity);
    start_products(sums, ring.stage, left, step == 0);
    wait_for_products<IN_FLIGHT - 1>();
    if (IN_FLIGHT == 1)
      release(ring.stage, place);
    else if (step > 0)
      release(before, place);
    before = ring.stage;
    ring.advance();
  }
  return before;
}

__device__ __forceinline__ void finish_products(Sums& sums, const Stage& last, int steps,
                                                const ClusterPlace& place) {
  if constexpr (IN_FLIGHT == 2 && !kPromotes) {
    wait_for_products<0>();
    if (steps > 0) release(last, place);
  }
  pin(sums);
}

// As add_products(), but each stage is summed up by itself and then added to `sums`.
__device__ __forceinline__ void add_promoted_products(Sums& sums, RingPlace& ring, int left,
                                                      int steps, const ClusterPlace& place) {
  Sums of_stage;
  for (int step = 0; step < steps; ++step) {
    wait_for_bytes(ring.stage.filled(), ring.parity);
    start_products(of_stage, ring.stage, left, true);
    wait_for_products<0>();
    pin(of_stage);
    release(ring.stage, place);
    ring.advance();
#pragma unroll
    for (int band = 0; band < kBands; ++band)
#pragma unroll
      for (int i = 0; i < kColumns / 2; ++i) sums.value[band][i] += of_stage.value[band][i];
  }
}

// Adds up a tile from left position `left` on, but for what finish_products() finishes.
__device__ __forceinline__ Stage multiply(Sums& sums, RingPlace& ring, int left, int steps,
                                          const ClusterPlace& place) {
  if (kPromotes || (SPLIT_K > 1 && steps == 0)) {
#pragma unroll
    for (int band = 0; band < kBands; ++band)
#pragma unroll
      for (int i = 0; i < kColumns / 2; ++i) sums.value[band][i] = 0;
  }
  if constexpr (kPromotes) {
    add_promoted_products(sums, ring, left, steps, place);
    return {0};
  } else {
    return add_products(sums, ring, left, steps, place);
  }
}
