// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Products of tiles in shared memory, by all threads of a warp group. A thread has, of each band of
// 64 left positions, those at 16 · warp + lane / 4 and 8 further, and with each the right positions
// 8 j + lane % 4 · 2 and the next, in this order: sum 4 j + 2 · (8 further) + (next).

#include "operand_tile.cuh"
#include "ring.cuh"
#include "warp_group.cuh"

constexpr int kGroupThreads = 128;  // a warp group
constexpr int kStepBytes = 32;      // of K, in one multiplication

// A place in shared memory as a descriptor has it, in bytes. In a cluster a shared address has the
// block's rank in its upper bits, which must not come into it. On the host device addresses begin
// where the block's memory does.
__device__ __forceinline__ unsigned descriptor_address(const unsigned char* place) {
  ON_GPU(return shared_address(place) & 0x3ffffU);
  ON_HOST(return static_cast<unsigned>(place - shared));
}

// What a multiplication reads is named by a descriptor of two words: a tile in shared memory, from
// a position and a k of it on. The lower word has the place, in units of 16 bytes, and how far
// chunks of positions are apart.
template <class TILE>
__device__ __forceinline__ unsigned lower_word(const unsigned char* tile) {
  constexpr unsigned kApart = TILE::kAlongK ? 1U : TILE::kChunkBytes >> 4;
  return (kApart << 16) + (descriptor_address(tile) >> 4);
}
// The upper word has how far groups of eight rows are apart, and the swizzle. That is a function of
// the address, so a tile may begin at any row of what one box brought, if the box began at a
// multiple of 1024 bytes.
template <class TILE>
__device__ __forceinline__ unsigned long long descriptor(unsigned lower, int position, int k) {
  constexpr unsigned kSwizzle = TILE::kRowBytes == 128 ? 1 : TILE::kRowBytes == 64 ? 2 : 3;
  constexpr unsigned kUpper = TILE::kGroupBytes >> 4 | kSwizzle << 30;
  return static_cast<unsigned long long>(kUpper) << 32 | (lower + (TILE::offset(position, k) >> 4));
}

#if defined(TILEWRIGHT_HOST)
#include "host_instruction.cuh"
#else
#include "instruction.cuh"
#endif

// The compiler must not move or copy sums while multiplications are under way.
__device__ __forceinline__ void pin(float& sum) {
  ON_GPU(asm volatile("" : "+f"(sum)::"memory"));
}
__device__ __forceinline__ void pin(int& sum) {
  ON_GPU(asm volatile("" : "+r"(sum)::"memory"));
}

// Of BANDS · 64 left positions with COLUMNS right ones.
template <class SUM, int BANDS, int COLUMNS>
struct Sums {
  static constexpr int kBands = BANDS;
  static constexpr int kColumns = COLUMNS;
  SUM value[BANDS][COLUMNS / 2];

  __device__ __forceinline__ void pin() {
#pragma unroll
    for (int band = 0; band < BANDS; ++band)
#pragma unroll
      for (int i = 0; i < COLUMNS / 2; ++i) ::pin(value[band][i]);
  }
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int band = 0; band < BANDS; ++band)
#pragma unroll
      for (int i = 0; i < COLUMNS / 2; ++i) value[band][i] = 0;
  }
  __device__ __forceinline__ void add(const Sums& others) {
#pragma unroll
    for (int band = 0; band < BANDS; ++band)
#pragma unroll
      for (int i = 0; i < COLUMNS / 2; ++i) value[band][i] += others.value[band][i];
  }
};

// Before products are started, and after all of a stage are.
__device__ __forceinline__ void begin_products() {
  ON_GPU(asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory"));
}
__device__ __forceinline__ void end_products() {
  ON_GPU(asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory"));
}

// Until the products of all but the STAGES_LEFT stages ended last are in the sums. On the host
// device they are at once, but instructions are those of a whole warp: one lane goes on when all
// have read the stage.
template <int STAGES_LEFT>
__device__ __forceinline__ void wait_for_products() {
  ON_HOST(__syncwarp());
  ON_GPU(asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(STAGES_LEFT) : "memory"));
}

// Starts the products of all ks of two tiles, whose lower words these are. AT_ONCE right positions,
// which divide all, are in one multiplication. `fresh`: they take the place of what the sums are.
// If the left operand goes through registers, they must not be written before the products end, and
// the assembler lets no other products run meanwhile; `left_tile` is where it is then, and `first`
// the position that is meant.
template <class LEFT, class RIGHT, int AT_ONCE, class SUM, int BANDS, int COLUMNS>
__device__ __forceinline__ void start_products(Sums<SUM, BANDS, COLUMNS>& sums,
                                               const unsigned char* left_tile, int first,
                                               unsigned left, unsigned right, bool fresh) {
  constexpr int kStep = kStepBytes / LEFT::kElementBytes;
  constexpr int kSteps = LEFT::kDepth / kStep;
  constexpr bool kInRegisters = LEFT::kInRegisters;
  static_assert(COLUMNS % AT_ONCE == 0 && LEFT::kDepth == RIGHT::kDepth, "the tiles fit");
  Fragment fragments[kInRegisters ? kSteps : 1][BANDS];
  if constexpr (kInRegisters)
#pragma unroll
    for (int i = 0; i < kSteps * BANDS; ++i)
      fragments[i / BANDS][i % BANDS] =
          fragment<LEFT>(left_tile, first + i % BANDS * 64, i / BANDS * kStep);
  sums.pin();
  begin_products();
#pragma unroll
  for (int k = 0; k < LEFT::kDepth; k += kStep)
#pragma unroll
    for (int i = 0; i < BANDS * (COLUMNS / AT_ONCE); ++i) {
      const int band = i % BANDS;
      const int column = i / BANDS * AT_ONCE;
      auto& part = reinterpret_cast<SUM(&)[AT_ONCE / 2]>(sums.value[band][column / 2]);
      const unsigned long long of_right = descriptor<RIGHT>(right, column, k);
      const int add = k > 0 || !fresh ? 1 : 0;
      if constexpr (kInRegisters)
        Instruction<AT_ONCE>::template run<LEFT, RIGHT>(part, fragments[k / kStep][band], of_right,
                                                        add);
      else
        Instruction<AT_ONCE>::template run<LEFT, RIGHT>(part, descriptor<LEFT>(left, 64 * band, k),
                                                        of_right, add);
    }
  end_products();
  sums.pin();
}
