// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The taps of a filter of two or three dimensions: with FILTER = value the kernel's parameter holds
// them, with shared they are copied to shared memory. Of a filter of three dimensions, the rows of
// all its planes are counted one after the other.

#include "filter_types.cuh"
#include "integers.cuh"
#include "run.cuh"

#if defined(PROBLEM_FILTER_DEPTH)
constexpr int kFilterRows = PROBLEM_FILTER_HEIGHT * PROBLEM_FILTER_DEPTH;
#else
constexpr int kFilterRows = PROBLEM_FILTER_HEIGHT;
#endif
constexpr int kTaps = PROBLEM_FILTER_WIDTH * kFilterRows;
constexpr bool kOwnFilters = PROBLEM_FILTERS == FILTERS_PER_CHANNEL;

// Taps in the order of the samples that they multiply. `index` counts them row by row.
__device__ __forceinline__ int tap_index(int index) {
  return PROBLEM_FLIP == FLIP_YES ? kTaps - 1 - index : index;
}

#if FILTER == FILTER_VALUE
#if PROBLEM_FILTERS == FILTERS_PER_CHANNEL
struct FilterArgument {
  Element values[kTaps * PROBLEM_CHANNELS];
};
#else
struct FilterArgument {
  Element values[kTaps];
};
#endif

struct Taps {
  const FilterArgument& filter;
  int first;

  // Those from `column` of a row on, as far as it goes.
  __device__ __forceinline__ Run<4, Sum> read(int row, int column) const {
    Run<4, Sum> run;
#pragma unroll
    for (int v = 0; v < 4; ++v)
      if (column + v < PROBLEM_FILTER_WIDTH)
        run.value[v] =
            to<Sum>(filter.values[first + tap_index(row * PROBLEM_FILTER_WIDTH + column + v)]);
    return run;
  }
};

__device__ __forceinline__ Taps take_taps(const FilterArgument& filter, int first, Sum* /*copy*/,
                                          int /*thread*/) {
  return {filter, first};
}
#else
using FilterArgument = const Element*;

constexpr int kTapPitch = round_up(PROBLEM_FILTER_WIDTH, 4);

struct Taps {
  const Sum* copy;

  __device__ __forceinline__ Run<4, Sum> read(int row, int column) const {
    return *reinterpret_cast<const Run<4, Sum>*>(copy + (row * kTapPitch + column));
  }
};

// By all threads of a block, each with its number. Ready after the next __syncthreads().
__device__ __forceinline__ Taps take_taps(FilterArgument filter, int first, Sum* copy, int thread) {
  for (int index = thread; index < kTaps; index += BLOCK_X * BLOCK_Y)
    copy[index / PROBLEM_FILTER_WIDTH * kTapPitch + index % PROBLEM_FILTER_WIDTH] =
        to<Sum>(filter[first + tap_index(index)]);
  return {copy};
}
#endif
