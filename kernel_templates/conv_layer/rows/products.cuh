// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Products of windows and filters by one warp. Lane l has pixels l / 4 and l / 4 + 8 of 16, and of
// each step the words l % 4 and l % 4 + 4.

#include "geometry.cuh"
#include "tensor_core.cuh"

extern __shared__ __align__(16) unsigned char shared[];

// Prepared filters: words `half` · 4 to 3 further of a step, in the order of the lanes, of which
// lane l has filter l / 4 of the product and word l % 4.
__host__ __device__ constexpr int prepared_place(int step, int product, int half, int lane) {
  return ((step * kProducts + product) * 2 + half) * 32 + lane;
}

// A lane's sums of 16 pixels: 0 and 1 are of the first.
using WindowSums = Sum[kProducts][4];

__device__ __forceinline__ unsigned word_at(const Element* place) {
  return *reinterpret_cast<const unsigned*>(place);
}

#if defined(__CUDA_ARCH__)

// The filters of a block, in registers.
class Filters {
 public:
  __device__ __forceinline__ explicit Filters(const unsigned* prepared) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
#pragma unroll
      for (int product = 0; product < kProducts; ++product)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          words_[step][product][half] =
              prepared[prepared_place(step, product, half, lane_of_warp())];
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int word = 8 * step + 4 * half + lane_of_warp() % 4;
        places_[step][half] = word_place(word);
        masks_[step][half] = mask_of(word);
      }
  }

  // Adds the products of step `step` and 16 pixels, of which a lane has these words.
  __device__ __forceinline__ void multiply_add(WindowSums& sums, int step,
                                               const unsigned (&words)[4]) const {
#pragma unroll
    for (int product = 0; product < kProducts; ++product)
      TensorProduct<Element, Element>::add(sums[product], words, words_[step][product][0],
                                           words_[step][product][1]);
  }

  // Adds all products of 16 pixels, of which this lane's first window begins at `window`.
  __device__ __forceinline__ void multiply_add(WindowSums& sums, const Element* window) const {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      unsigned words[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        words[i] =
            masked(word_at(window + places_[step][i / 2] + i % 2 * 8 * kStride), step, i / 2);
      multiply_add(sums, step, words);
    }
  }

  // The bits that the products may see of this lane's word of a half of a step.
  __device__ __forceinline__ unsigned masked(unsigned word, int step, int half) const {
    return is_masked(8 * step + 4 * half) ? word & masks_[step][half] : word;
  }

 private:
  unsigned words_[kSteps][kProducts][2];
  int places_[kSteps][2];
  unsigned masks_[kSteps][2];
};

#else

// Lanes cannot exchange registers on the host device, so each reads all that its own sums need.
class Filters {
 public:
  __device__ explicit Filters(const unsigned* prepared) : prepared_(prepared) {}

  __device__ void multiply_add(WindowSums& sums, const Element* window) const {
    for (int step = 0; step < kSteps; ++step)
      for (int i = 0; i < 2; ++i)
        multiply_add(sums, step, i, [&](int word) {
          return word_at(window + word_place(word) + i * 8 * kStride);
        });
  }

  // Adds the products of a step and this lane's pixel `i`, whose words `read` returns.
  template <class READ>
  __device__ void multiply_add(WindowSums& sums, int step, int i, READ&& read) const {
    const int lane = lane_of_warp();
    for (int word = 8 * step; word < 8 * step + 8; ++word) {
      const unsigned seen = read(word) & mask_of(word);
      for (int product = 0; product < kProducts; ++product)
        for (int side = 0; side < 2; ++side) {
          const int column = lane % 4 * 2 + side;
          const unsigned filter =
              prepared_[prepared_place(step, product, word / 4 % 2, 4 * column + word % 4)];
          for (int part = 0; part < kWord; ++part)
            sums[product][2 * i + side] += widened(reinterpret_cast<const Element*>(&seen)[part]) *
                                           widened(reinterpret_cast<const Element*>(&filter)[part]);
        }
    }
  }

 private:
  const unsigned* prepared_;
};

#endif

// Toeplitz products, of one channel and a stride of 1: the windows of pixels that lie eight further
// on have the words of the next half of a step. So five words of a lane serve 32 pixels and every
// row of taps that meets this row of the image.
using RowsOfSums = WindowSums[2][TILE_HEIGHT];

// Adds what row `row` of a tile has for 32 pixels of all rows of outputs; `window` is the lane's
// first window of it.
__device__ __forceinline__ void multiply_add_row(RowsOfSums& sums, const Filters& filters, int row,
                                                 const Element* window) {
#if defined(__CUDA_ARCH__)
  const int lane_word = lane_of_warp() % 4 * kWord;
  unsigned low[5];
  unsigned high[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) {
    const unsigned word = word_at(window + (8 * i + lane_word));
    low[i] = filters.masked(word, 0, 0);
    high[i] = filters.masked(word, 0, 1);
  }
#endif
#pragma unroll
  for (int tap_row = 0; tap_row < PROBLEM_FILTER_HEIGHT; ++tap_row) {
    const int output = row - tap_row;
    if (output < 0 || output >= TILE_HEIGHT) continue;
#pragma unroll
    for (int side = 0; side < 2; ++side) {
#if defined(__CUDA_ARCH__)
      const unsigned words[4] = {low[2 * side], low[2 * side + 1], high[2 * side + 1],
                                 high[2 * side + 2]};
      filters.multiply_add(sums[side][output], tap_row, words);
#else
      for (int i = 0; i < 2; ++i)
        filters.multiply_add(sums[side][output], tap_row, i, [&](int word) {
          return word_at(window + 16 * side + 8 * i + word % 8 * kWord);
        });
#endif
    }
  }
}
