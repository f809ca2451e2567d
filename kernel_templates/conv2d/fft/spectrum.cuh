// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The filter's spectrum on the tile's frequencies, divided by the number of values, in the order in which threads read
// it, and the tile's twiddles. A block has kSpectrumColumns of the spectrum's columns: first the transforms of the
// filter's rows there, then those down the columns. Both are plain sums: taps are few.

#include "tile.cuh"

constexpr int kSpectrumThreads = 256;
constexpr int kSpectrumColumns = 4;
constexpr int kFilterRows = PROBLEM_FILTER_HEIGHT;
constexpr int kFilterColumns = PROBLEM_FILTER_WIDTH;
constexpr int kTaps = kFilterRows * kFilterColumns;
constexpr int kTwiddleRoom = round_up(kTwiddles, 2);  // pairs of values follow

__device__ __forceinline__ int spectrum_thread() {
  return static_cast<int>(threadIdx.x);
}

// By the blocks of the first filter.
__device__ __forceinline__ void make_twiddles(Value* twiddles) {
  if (blockIdx.y > 0) return;
  const int first = static_cast<int>(blockIdx.x) * kSpectrumThreads + spectrum_thread();
  for (int i = first; i < kTwiddles; i += static_cast<int>(gridDim.x) * kSpectrumThreads)
    twiddles[i] = twiddle(i);
}

__device__ __forceinline__ Value plus_product(Value sum, Value a, Value b) {
  return {fma(a.re, b.re, fma(-a.im, b.im, sum.re)), fma(a.re, b.im, fma(a.im, b.re, sum.im))};
}

__device__ __forceinline__ void make_spectrum(const Element* filter, Value* spectrum) {
  constexpr bool kFlips = PROBLEM_FLIP == FLIP_YES;
  __shared__ Value down[4 * kRows];  // exp(−i · turns), for each of so many parts of a turn
  __shared__ Value across[kColumns];
  __shared__ Value sums[kFilterRows][kSpectrumColumns];
  const int thread = spectrum_thread();
  const int first = static_cast<int>(blockIdx.x) * kSpectrumColumns;
  for (int i = thread; i < 4 * kRows; i += kSpectrumThreads)
    down[i] = root(-static_cast<Sum>(i) / (4 * kRows));
  for (int i = thread; i < kColumns; i += kSpectrumThreads)
    across[i] = root(-static_cast<Sum>(i) / kColumns);
  __syncthreads();
  for (int i = thread; i < kFilterRows * kSpectrumColumns; i += kSpectrumThreads) {
    const int row = i / kSpectrumColumns;
    const int frequency = bit_reversed(first + i % kSpectrumColumns, kColumnBits);
    Value sum = {};
    for (int column = 0; column < kFilterColumns; ++column) {
      const int at = row * kFilterColumns + column;
      const Sum tap = widened(filter[kFlips ? kTaps - 1 - at : at]);
      const Value turn = across[frequency * (column + TERM_SHIFT) % kColumns];
      sum = {fma(tap, turn.re, sum.re), fma(tap, turn.im, sum.im)};
    }
    sums[row][i % kSpectrumColumns] = sum;
  }
  __syncthreads();
  for (int i = thread; i < kRows * kSpectrumColumns; i += kSpectrumThreads) {
    const int own = i % kSpectrumColumns;
    const int row = i / kSpectrumColumns;
    const int frequency = 4 * bit_reversed(row, kRowBits) + 1;  // in parts of four kRows
    Value sum = {};
    for (int j = 0; j < kFilterRows; ++j)
      sum = plus_product(sum, sums[j][own], down[frequency * j % (4 * kRows)]);
    constexpr Sum kPart = Sum{1} / (kRows * kColumns);
    spectrum[spectrum_place(row * kColumns + first + own)] = {kPart * sum.re, kPart * sum.im};
  }
}
