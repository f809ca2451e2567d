// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The products of one stage of the ring, by all threads of a warp group. A thread has, of each band
// of 64 left positions, those at 16 · warp + lane / 4 and 8 further, and with each the right
// positions 8 j + lane % 4 · 2 and the next, in this order: sum 4 j + 2 · (8 further) + (next).

#include "geometry.cuh"
#include "warp_group.cuh"

struct Sums {
  Sum value[kBands][kColumns / 2];
};

#if defined(TILEWRIGHT_HOST)

// What a consumer multiplies: the left positions from `first` on with all right ones.
struct Factors {
  int first;
};

// An element of a tile in shared memory, as it is multiplied.
template <class TILE, class T>
__device__ __forceinline__ Sum element(const unsigned char* tile, int position, int k) {
  const T stored = *reinterpret_cast<const T*>(tile + TILE::place(position, k));
  if constexpr (kSameType<T, float>)
    return __uint_as_float(__float_as_uint(stored) & ~0x1fffU);
  else
    return to<Sum>(stored);
}

__device__ __forceinline__ Sum product(const Stage& stage, int left, int right) {
  Sum sum = 0;
  for (int k = 0; k < kBlockK; ++k)
    sum += kSwapped ? element<LeftTile, ElementB>(stage.left(), left, k) *
                          element<RightTile, ElementA>(stage.right(), right, k)
                    : element<LeftTile, ElementA>(stage.left(), left, k) *
                          element<RightTile, ElementB>(stage.right(), right, k);
  return sum;
}

// Here the products are in the sums at once.
__device__ __forceinline__ void start_products(Sums& sums, const Stage& stage,
                                               const Factors& factors, bool fresh) {
  const int thread = static_cast<int>(threadIdx.x) % kGroupThreads;
  for (int band = 0; band < kBands; ++band)
    for (int i = 0; i < kColumns / 2; ++i) {
      const int at_left =
          factors.first + 64 * band + thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
      const int at_right = i / 4 * 8 + thread % 4 * 2 + i % 2;
      Sum& sum = sums.value[band][i];
      sum = product(stage, at_left, at_right) + (fresh ? 0 : sum);
    }
}

// Instructions are those of a whole warp, so one lane goes on when all have read the stage.
template <int STAGES_LEFT>
__device__ __forceinline__ void wait_for_products() {
  __syncwarp();
}

__device__ __forceinline__ void pin(Sums&) {}

#else

#include "instruction.cuh"

// What a multiplication reads is named by a descriptor of two words: a tile in shared memory, from
// a position and a k of it on. The lower word has the place, in units of 16 bytes, and how far
// chunks of positions are apart. In a cluster a shared address has the block's rank in its upper
// bits, which must not come into it.
template <class TILE>
__device__ __forceinline__ unsigned lower_word(const unsigned char* tile) {
  constexpr unsigned kApart = TILE::kAlongK ? 1U : TILE::kChunkBytes >> 4;
  return (kApart << 16) + ((shared_address(tile) & 0x3ffffU) >> 4);
}
// The upper word has how far groups of eight rows are apart.
template <class TILE>
__device__ __forceinline__ unsigned long long descriptor(unsigned lower, int position, int k) {
  constexpr unsigned kSwizzle = TILE::kRowBytes == 128 ? 1 : TILE::kRowBytes == 64 ? 2 : 3;
  constexpr unsigned kUpper = 8 * TILE::kRowBytes >> 4 | kSwizzle << 30;
  return static_cast<unsigned long long>(kUpper) << 32 | (lower + (TILE::offset(position, k) >> 4));
}

// What a consumer multiplies: the left positions from `first` on, a multiple of 64, with all right
// ones. The words are those of stage 0. A stage only adds its distance from there.
struct Factors {
  int first;
  unsigned left;
  unsigned right;

  __device__ __forceinline__ explicit Factors(int from)
      : first(from),
        left(
            same_in_warp(lower_word<LeftTile>(Stage{0}.left()) + (LeftTile::offset(from, 0) >> 4))),
        right(same_in_warp(lower_word<RightTile>(Stage{0}.right()))) {}
};

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

// What this thread has of the left operand for a multiplication, from a position and a k of the
// tile on, if it goes through registers.
template <class TILE>
__device__ __forceinline__ Fragment fragment(const unsigned char* tile, int position, int k) {
  const int thread = static_cast<int>(threadIdx.x) % kGroupThreads;
  const unsigned char* const first = tile + TILE::place(position, k) +
                                     thread % 4 * TILE::kRowBytes +
                                     (thread / 32 * 16 + thread % 32 / 4) * kElementBytes;
  Fragment read;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    read.value[i] = *reinterpret_cast<const unsigned*>(first + i / 2 * 4 * TILE::kRowBytes +
                                                       i % 2 * 8 * kElementBytes);
  return read;
}

// Starts the products of a stage. `fresh`: they take the place of what the sums are. What they have
// in registers must not be written before they end, and the assembler lets no other products run
// meanwhile.
__device__ __forceinline__ void start_products(Sums& sums, const Stage& stage,
                                               const Factors& factors, bool fresh) {
  const unsigned further = static_cast<unsigned>(stage.number) * (kStageBytes >> 4);
  constexpr bool kInRegisters = LeftTile::kInRegisters;
  static_assert(!kInRegisters || IN_FLIGHT == 1, "one stage is in registers");
  Fragment fragments[kInRegisters ? kBlockK / kMultiplyK : 1][kBands];
  if constexpr (kInRegisters)
#pragma unroll
    for (int i = 0; i < kBlockK / kMultiplyK * kBands; ++i)
      fragments[i / kBands][i % kBands] = fragment<LeftTile>(
          stage.left(), factors.first + i % kBands * 64, i / kBands * kMultiplyK);
  pin(sums);
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
#pragma unroll
  for (int k = 0; k < kBlockK; k += kMultiplyK)
#pragma unroll
    for (int band = 0; band < kBands; ++band)
      if constexpr (kInRegisters)
        Instruction<kColumns>::run(sums.value[band], fragments[k / kMultiplyK][band],
                                   descriptor<RightTile>(factors.right + further, 0, k),
                                   k > 0 || !fresh ? 1 : 0);
      else
        Instruction<kColumns>::run(
            sums.value[band], descriptor<LeftTile>(factors.left + further, 64 * band, k),
            descriptor<RightTile>(factors.right + further, 0, k), k > 0 || !fresh ? 1 : 0);
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
  pin(sums);
}

// Until the products of all but the STAGES_LEFT stages started last are in the sums.
template <int STAGES_LEFT>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(STAGES_LEFT) : "memory");
}

#endif
