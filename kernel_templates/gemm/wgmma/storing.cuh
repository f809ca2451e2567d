// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// How a consumer's sums become C: each thread stores its own, or they are put into boxes in shared
// memory, which bulk copies take to C while the next products are under way.

#include "named_barrier.cuh"
#include "output.cuh"
#include "products.cuh"

// Two sums that are neighbours on the right, and where they are in the tile.
struct Pair {
  int left;
  int right;
  Sum value[2];
};

// A thread's sums come in runs of four, one for each band and each 8 right positions: two pairs,
// the second 8 left positions further. `first` is the consumer's first left position.
constexpr int kRunsOfBand = kColumns / 8;

__device__ __forceinline__ Pair pair_of(const Sum* run, int first, int number, int half) {
  const int thread = static_cast<int>(threadIdx.x) % kGroupThreads;
  return {first + 64 * (number / kRunsOfBand) + thread / 32 * 16 + thread % 32 / 4 + 8 * half,
          8 * (number % kRunsOfBand) + thread % 4 * 2,
          {run[2 * half], run[2 * half + 1]}};
}
__device__ __forceinline__ Pair pair_of(const Sums& sums, int first, int number, int half) {
  return pair_of(&sums.value[number / kRunsOfBand][number % kRunsOfBand * 4], first, number, half);
}

// What the pair becomes in C.
__device__ __forceinline__ Run<2, ElementC> result_of(const Output& output, const Tile& tile,
                                                      const Pair& pair) {
  const int row = tile.row + (kSwapped ? pair.right : pair.left);
  const int column = tile.column + (kSwapped ? pair.left : pair.right);
  Run<2, Real> values;
#pragma unroll
  for (int v = 0; v < 2; ++v)
    values.value[v] = output.value(row + (kSwapped ? v : 0), column + (kSwapped ? 0 : v),
                                   static_cast<Real>(pair.value[v]));
  return run_to<ElementC>(values);
}

__device__ __forceinline__ void write_pair(const Output& output, const Tile& tile,
                                           const Pair& pair) {
  const Run<2, ElementC> result = result_of(output, tile, pair);
  if constexpr (kSwapped) {
#pragma unroll
    for (int v = 0; v < 2; ++v)
      store_run<1>(output.c, tile.row + pair.right + v, tile.column + pair.left, true,
                   {{result.value[v]}});
  } else {
    store_run<2>(output.c, tile.row + pair.left, tile.column + pair.right, output.c.is_aligned<2>(),
                 result);
  }
}

__device__ __forceinline__ void write_sums(const Output& output, const Tile& tile, const Sums& sums,
                                           int first) {
#pragma unroll
  for (int run = 0; run < kBands * kRunsOfBand; ++run)
#pragma unroll
    for (int half = 0; half < 2; ++half) write_pair(output, tile, pair_of(sums, first, run, half));
}

// A box has 64 left positions and kBoxRight right ones; a row of it is a row of C. Swapped, a row
// of 32-bit elements is longer than a swizzle, and the box has two halves, one behind the other. If
// no box that is small enough divides the right positions evenly, the last two boxes overlap.
constexpr int kBoxBytes = 8192;
constexpr int kHalves = kSwapped && sizeof(ElementC) == 4 ? 2 : 1;
constexpr int kBoxRight = kSwapped ? TERM_BOX_ROWS : TERM_BOX_COLUMNS;
static_assert(STORE != STORE_BULK || kColumns % kBoxRight == 0 ||
                  PROBLEM_ACCUMULATE == ACCUMULATE_NO,
              "no element of C is read after it was written");
constexpr int kAtOnce = kBoxRight % 16 == 0 ? 16 : 8;  // right positions
constexpr int kBoxRowBytes = TERM_BOX_COLUMNS * static_cast<int>(sizeof(ElementC));
constexpr int kHalfBytes = kBoxRight * kBoxRowBytes;  // of a box with two halves
static_assert(STORE != STORE_BULK || (kBoxRowBytes <= 128 && kBoxRowBytes >= 32),
              "a row of a box is as wide as a swizzle");

// COUNT matrices of 8 × 8 elements of 16 bits to shared memory, 2 or 4: lanes 8 i to 8 i + 7 give
// the rows of matrix i, and a lane has of each the elements 2 · (lane % 4) and the next of row
// lane / 4, or of column lane / 4 if they are TRANSPOSED.
template <bool TRANSPOSED, int COUNT>
__device__ __forceinline__ void store_matrices(void* row, const Run<2, ElementC> (&values)[COUNT]) {
  unsigned words[COUNT];
#pragma unroll
  for (int i = 0; i < COUNT; ++i) words[i] = *reinterpret_cast<const unsigned*>(&values[i]);
  const unsigned to = shared_address(row);
  if constexpr (COUNT == 4 && TRANSPOSED)
    ON_GPU(asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};\n" ::"r"(to),
        "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
        : "memory"));
  else if constexpr (COUNT == 4)
    ON_GPU(
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};\n" ::"r"(to),
                     "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
                     : "memory"));
  else if constexpr (TRANSPOSED)
    ON_GPU(
        asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};\n" ::"r"(to),
                     "r"(words[0]), "r"(words[1])
                     : "memory"));
  else
    ON_GPU(asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};\n" ::"r"(to),
                        "r"(words[0]), "r"(words[1])
                        : "memory"));
}

// The place in a box of the element at a row and column of it.
__device__ __forceinline__ unsigned box_offset(int row, int column) {
  const unsigned half = kHalves == 1 ? 0 : static_cast<unsigned>(column / TERM_BOX_COLUMNS);
  const int in_half = kHalves == 1 ? column : column % TERM_BOX_COLUMNS;
  return half * kHalfBytes +
         swizzled<kBoxRowBytes>(static_cast<unsigned>(
             row * kBoxRowBytes + in_half * static_cast<int>(sizeof(ElementC))));
}

// To the box, `values` of one band: 16 left positions of each warp, and kAtOnce right ones from
// `right` in the box on.
__device__ __forceinline__ void put_into_box(unsigned char* box, int right,
                                             const Run<2, ElementC> (&values)[kAtOnce / 4]) {
  const int thread = static_cast<int>(threadIdx.x) % kGroupThreads;
  const int lane = thread % 32;
  const int warp_left = thread / 32 * 16;
  if constexpr (TARGET_ARCHITECTURE > 0 && sizeof(ElementC) == 2) {
    // Each lane names a row of 16 bytes of one of the matrices of 8 × 8; of two, the first 16 do.
    const int of_left = lane / 8 % 2 * 8;
    const int of_right = kAtOnce == 16 ? lane / 16 * 8 : 0;
    const unsigned offset = kSwapped ? box_offset(right + of_right + lane % 8, warp_left + of_left)
                                     : box_offset(warp_left + of_left + lane % 8, right + of_right);
    store_matrices<kSwapped>(box + offset, values);
    return;
  }
#pragma unroll
  for (int i = 0; i < kAtOnce / 4; ++i) {
    const int left = warp_left + lane / 4 + i % 2 * 8;
    const int at = right + i / 2 * 8 + lane % 4 * 2;
    if constexpr (kSwapped) {
      *reinterpret_cast<ElementC*>(box + box_offset(at, left)) = values[i].value[0];
      *reinterpret_cast<ElementC*>(box + box_offset(at + 1, left)) = values[i].value[1];
    } else {
      *reinterpret_cast<Run<2, ElementC>*>(box + box_offset(left, at)) = values[i];
    }
  }
}

// The boxes of one consumer: two, which it fills in turn.
class Boxes {
 public:
  __device__ __forceinline__ Boxes(int consumer)
      : boxes_(shared + TERM_RING_BYTES + consumer * 2 * kBoxBytes), barrier_(1 + consumer) {}

  // Puts the sums, from left position `first` of the tile on, into boxes and starts their copies.
  // The results of a box are computed after the box before it has left. Otherwise the compiler
  // would compute most of them first, if the epilogue takes long.
  __device__ __forceinline__ void store(const TensorMap& map, const Output& output,
                                        const Tile& tile, const Sums& sums, int first) {
#pragma unroll
    for (int band = 0; band < kBands; ++band)
#pragma unroll
      for (int behind = kBoxRight; behind < kColumns + kBoxRight; behind += kBoxRight) {
        const int right = (behind < kColumns ? behind : kColumns) - kBoxRight;
        unsigned char* const box = boxes_ + next_ * kBoxBytes;
        Output of_box = output;
        of_box.alpha = known_from_here(output.alpha);
        if (is_first()) wait_for_store_reads<1>();
        wait_at_named_barrier(barrier_, kGroupThreads);
#pragma unroll
        for (int in_box = 0; in_box < kBoxRight; in_box += kAtOnce)
          put(box, of_box, tile, sums, first, band, right, in_box);
        proxy_fence();
        wait_at_named_barrier(barrier_, kGroupThreads);
        if (is_first()) {
          const int left = first + 64 * band;
#pragma unroll
          for (int half = 0; half < kHalves; ++half)
            store_box(map, box + half * kHalfBytes,
                      tile.column + (kSwapped ? left + half * TERM_BOX_COLUMNS : right),
                      tile.row + (kSwapped ? right : left), tile.matrix);
          end_store_group();
        }
        next_ ^= 1;
      }
  }

  // Shared memory outlives the copies that read it.
  __device__ __forceinline__ void drain() const {
    if (is_first()) wait_for_store_reads<0>();
  }

 private:
  static __device__ __forceinline__ bool is_first() {
    return static_cast<int>(threadIdx.x) % kGroupThreads == 0;
  }

  static __device__ __forceinline__ void put(unsigned char* box, const Output& output,
                                             const Tile& tile, const Sums& sums, int first,
                                             int band, int right, int in_box) {
    Run<2, ElementC> values[kAtOnce / 4];
#pragma unroll
    for (int i = 0; i < kAtOnce / 4; ++i)
      values[i] =
          result_of(output, tile,
                    pair_of(sums, first, band * kRunsOfBand + (right + in_box) / 8 + i / 2, i % 2));
    put_into_box(box, in_box, values);
  }

  unsigned char* boxes_;
  int barrier_;
  int next_ = 0;
};

// The kernel's parameter for the map of C, where there is one.
#if STORE == STORE_BULK
#define MAP_C_PARAMETER const __grid_constant__ TensorMap map_c,
#define MAP_C &map_c
#else
#define MAP_C_PARAMETER
#define MAP_C nullptr
#endif
