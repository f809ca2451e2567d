// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// How a consumer's sums become the result, a matrix of rows and columns: each thread stores its
// own, or they are put into boxes in shared memory, which bulk copies take to the result while the
// next products are under way.

#include "multiplication.cuh"
#include "named_barrier.cuh"
#include "run.cuh"
#include "tiles.cuh"

// RESULT has
//   Element, Real            of the result, and what an output computes with
//   kSwapped                 whether left positions are columns of the result, and not rows
//   kBoxRows, kBoxColumns    of a box that is stored
//   kBoxesAt                 where boxes are in shared memory, in bytes: two of each consumer
//   kReadsOld                whether an output reads what was there before
// An output has `c`, a Matrix<Element>, `alpha`, which its values depend on, and `value(row,
// column, sum)`: what becomes of a sum.

// The consumer's first positions in the tile.
struct Corner {
  int left;
  int right;
};

// Two sums that are neighbours on the right, and where they are in the tile.
template <class SUM>
struct Pair {
  int left;
  int right;
  SUM value[2];
};

// A thread's sums come in runs of four, one for each band and each 8 right positions: two pairs,
// the second 8 left positions further.
template <int COLUMNS, class SUM>
__device__ __forceinline__ Pair<SUM> pair_of(const SUM* run, const Corner& first, int number,
                                             int half) {
  constexpr int kRunsOfBand = COLUMNS / 8;
  const int thread = static_cast<int>(threadIdx.x) % kGroupThreads;
  return {first.left + 64 * (number / kRunsOfBand) + thread / 32 * 16 + thread % 32 / 4 + 8 * half,
          first.right + 8 * (number % kRunsOfBand) + thread % 4 * 2,
          {run[2 * half], run[2 * half + 1]}};
}
template <class SUM, int BANDS, int COLUMNS>
__device__ __forceinline__ Pair<SUM> pair_of(const Sums<SUM, BANDS, COLUMNS>& sums,
                                             const Corner& first, int number, int half) {
  constexpr int kRunsOfBand = COLUMNS / 8;
  return pair_of<COLUMNS>(&sums.value[number / kRunsOfBand][number % kRunsOfBand * 4], first,
                          number, half);
}

// What the pair becomes in the result.
template <class RESULT, class OUTPUT, class SUM>
__device__ __forceinline__ Run<2, typename RESULT::Element> result_of(const OUTPUT& output,
                                                                      const Tile& tile,
                                                                      const Pair<SUM>& pair) {
  using Real = typename RESULT::Real;
  const int row = tile.row + (RESULT::kSwapped ? pair.right : pair.left);
  const int column = tile.column + (RESULT::kSwapped ? pair.left : pair.right);
  Run<2, Real> values;
#pragma unroll
  for (int v = 0; v < 2; ++v)
    values.value[v] =
        output.value(row + (RESULT::kSwapped ? v : 0), column + (RESULT::kSwapped ? 0 : v),
                     static_cast<Real>(pair.value[v]));
  return run_to<typename RESULT::Element>(values);
}

template <class RESULT, class OUTPUT, class SUM>
__device__ __forceinline__ void write_pair(const OUTPUT& output, const Tile& tile,
                                           const Pair<SUM>& pair) {
  const Run<2, typename RESULT::Element> result = result_of<RESULT>(output, tile, pair);
  if constexpr (RESULT::kSwapped) {
#pragma unroll
    for (int v = 0; v < 2; ++v)
      store_run<1>(output.c, tile.row + pair.right + v, tile.column + pair.left, true,
                   {{result.value[v]}});
  } else {
    store_run<2>(output.c, tile.row + pair.left, tile.column + pair.right,
                 output.c.template is_aligned<2>(), result);
  }
}

template <class RESULT, class OUTPUT, class SUM, int BANDS, int COLUMNS>
__device__ __forceinline__ void write_sums(const OUTPUT& output, const Tile& tile,
                                           const Sums<SUM, BANDS, COLUMNS>& sums,
                                           const Corner& first) {
#pragma unroll
  for (int run = 0; run < BANDS * (COLUMNS / 8); ++run)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      write_pair<RESULT>(output, tile, pair_of(sums, first, run, half));
}

// COUNT matrices of 8 × 8 elements of 16 bits to shared memory, 2 or 4: lanes 8 i to 8 i + 7 give
// the rows of matrix i, and a lane has of each the elements 2 · (lane % 4) and the next of row
// lane / 4, or of column lane / 4 if they are TRANSPOSED.
template <bool TRANSPOSED, class T, int COUNT>
__device__ __forceinline__ void store_matrices(void* row, const Run<2, T> (&values)[COUNT]) {
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

constexpr int kBoxBytes = 8192;  // the most

// The boxes of one consumer: two, which it fills in turn. A box has 64 left positions and
// kBoxRight right ones; a row of it is a row of the result. Swapped, a row of 32-bit elements is
// longer than a swizzle, and the box has two halves, one behind the other. If no box that is small
// enough divides the right positions evenly, the last two boxes overlap.
template <class RESULT>
class Boxes {
 public:
  using Element = typename RESULT::Element;

  __device__ __forceinline__ Boxes(int consumer)
      : boxes_(shared + RESULT::kBoxesAt + consumer * 2 * kBoxBytes), barrier_(1 + consumer) {}

  // Puts the sums, which begin at `first` in the tile, into boxes; all threads write(box, left,
  // right) each, which says where in the tile it is. The results of a box are computed after the
  // box before it has left. Otherwise the compiler would compute most of them first, if the
  // epilogue takes long.
  template <class OUTPUT, class SUM, int BANDS, int COLUMNS, class WRITE>
  __device__ __forceinline__ void store(const OUTPUT& output, const Tile& tile,
                                        const Sums<SUM, BANDS, COLUMNS>& sums, const Corner& first,
                                        WRITE&& write) {
    static_assert(kRowBytes <= 128 && kRowBytes >= 32, "a row of a box is as wide as a swizzle");
    static_assert(COLUMNS % kBoxRight == 0 || !RESULT::kReadsOld,
                  "no element of the result is read after it was written");
#pragma unroll
    for (int band = 0; band < BANDS; ++band)
#pragma unroll
      for (int behind = kBoxRight; behind < COLUMNS + kBoxRight; behind += kBoxRight) {
        const int right = (behind < COLUMNS ? behind : COLUMNS) - kBoxRight;
        unsigned char* const box = boxes_ + next_ * kBoxBytes;
        OUTPUT of_box = output;
        of_box.alpha = known_from_here(output.alpha);
        if (is_first()) wait_for_store_reads<1>();
        wait_at_named_barrier(barrier_, kGroupThreads);
#pragma unroll
        for (int in_box = 0; in_box < kBoxRight; in_box += kAtOnce)
          put(box, of_box, tile, sums, first, band, right, in_box);
        proxy_fence();
        wait_at_named_barrier(barrier_, kGroupThreads);
        write(box, first.left + 64 * band, first.right + right);
        next_ ^= 1;
      }
  }

  // By all threads, for store(): the box to where it belongs in the matrix that the map has.
  __device__ __forceinline__ void write_to(const TensorMap& map, const Tile& tile,
                                           const unsigned char* box, int left, int right) const {
    if (!is_first()) return;
#pragma unroll
    for (int half = 0; half < kHalves; ++half)
      store_box(map, box + half * kHalfBytes,
                tile.column + (RESULT::kSwapped ? left + half * RESULT::kBoxColumns : right),
                tile.row + (RESULT::kSwapped ? right : left), tile.matrix);
    end_store_group();
  }

  // Shared memory outlives the copies that read it.
  __device__ __forceinline__ void drain() const {
    if (is_first()) wait_for_store_reads<0>();
  }

 private:
  static constexpr int kHalves = RESULT::kSwapped && sizeof(Element) == 4 ? 2 : 1;
  static constexpr int kBoxRight = RESULT::kSwapped ? RESULT::kBoxRows : RESULT::kBoxColumns;
  static constexpr int kAtOnce = kBoxRight % 16 == 0 ? 16 : 8;  // right positions
  static constexpr int kRowBytes = RESULT::kBoxColumns * static_cast<int>(sizeof(Element));
  static constexpr int kHalfBytes = kBoxRight * kRowBytes;  // of a box with two halves

  static __device__ __forceinline__ bool is_first() {
    return static_cast<int>(threadIdx.x) % kGroupThreads == 0;
  }

  // The place in a box of the element at a row and column of it.
  static __device__ __forceinline__ unsigned offset(int row, int column) {
    const unsigned half = kHalves == 1 ? 0 : static_cast<unsigned>(column / RESULT::kBoxColumns);
    const int in_half = kHalves == 1 ? column : column % RESULT::kBoxColumns;
    return half * kHalfBytes + swizzled<kRowBytes>(static_cast<unsigned>(
                                   row * kRowBytes + in_half * static_cast<int>(sizeof(Element))));
  }

  // To the box, `values` of one band: 16 left positions of each warp, and kAtOnce right ones from
  // `right` in the box on.
  static __device__ __forceinline__ void put_into_box(
      unsigned char* box, int right, const Run<2, Element> (&values)[kAtOnce / 4]) {
    const int thread = static_cast<int>(threadIdx.x) % kGroupThreads;
    const int lane = thread % 32;
    const int warp_left = thread / 32 * 16;
    if constexpr (TARGET_ARCHITECTURE > 0 && sizeof(Element) == 2) {
      // Each lane names a row of 16 bytes of one of the matrices of 8 × 8; of two, the first 16 do.
      const int of_left = lane / 8 % 2 * 8;
      const int of_right = kAtOnce == 16 ? lane / 16 * 8 : 0;
      const unsigned at = RESULT::kSwapped
                              ? offset(right + of_right + lane % 8, warp_left + of_left)
                              : offset(warp_left + of_left + lane % 8, right + of_right);
      store_matrices<RESULT::kSwapped>(box + at, values);
      return;
    }
#pragma unroll
    for (int i = 0; i < kAtOnce / 4; ++i) {
      const int left = warp_left + lane / 4 + i % 2 * 8;
      const int at = right + i / 2 * 8 + lane % 4 * 2;
      if constexpr (RESULT::kSwapped) {
        *reinterpret_cast<Element*>(box + offset(at, left)) = values[i].value[0];
        *reinterpret_cast<Element*>(box + offset(at + 1, left)) = values[i].value[1];
      } else {
        *reinterpret_cast<Run<2, Element>*>(box + offset(left, at)) = values[i];
      }
    }
  }

  template <class OUTPUT, class SUM, int BANDS, int COLUMNS>
  static __device__ __forceinline__ void put(unsigned char* box, const OUTPUT& output,
                                             const Tile& tile,
                                             const Sums<SUM, BANDS, COLUMNS>& sums,
                                             const Corner& first, int band, int right, int in_box) {
    Run<2, Element> values[kAtOnce / 4];
#pragma unroll
    for (int i = 0; i < kAtOnce / 4; ++i)
      values[i] = result_of<RESULT>(
          output, tile,
          pair_of(sums, first, band * (COLUMNS / 8) + (right + in_box) / 8 + i / 2, i % 2));
    put_into_box(box, in_box, values);
  }

  unsigned char* boxes_;
  int barrier_;
  int next_ = 0;
};

// The kernel's parameter for the map of the result, where its manifest's STORE is bulk.
#if defined(STORE_BULK) && STORE == STORE_BULK
#define MAP_C_PARAMETER const __grid_constant__ TensorMap map_c,
#define MAP_C &map_c
#else
#define MAP_C_PARAMETER
#define MAP_C nullptr
#endif
