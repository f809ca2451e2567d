// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The taps of one of the two filters: with FILTER = value the kernel's parameter holds them, with
// shared they are copied to shared memory.

#include "filter_types.cuh"
#include "integers.cuh"
#include "run.cuh"

constexpr bool kOwnFilters = PROBLEM_FILTERS == FILTERS_PER_CHANNEL;

// Taps in the order of the samples that they multiply.
template <int TAPS>
__device__ __forceinline__ int tap_index(int tap) {
  return PROBLEM_FLIP == FLIP_YES ? TAPS - 1 - tap : tap;
}

#if FILTER == FILTER_VALUE
#if PROBLEM_FILTERS == FILTERS_PER_CHANNEL
constexpr int kFilters = PROBLEM_CHANNELS;
#else
constexpr int kFilters = 1;
#endif

template <int TAPS>
struct FilterArgument {
  Element values[TAPS * kFilters];
};

template <int TAPS>
struct Taps {
  const FilterArgument<TAPS>& filter;
  int first;

  // Four of them from `tap` on, as far as the filter goes.
  __device__ __forceinline__ Run<4, Sum> read(int tap) const {
    Run<4, Sum> run;
#pragma unroll
    for (int v = 0; v < 4; ++v)
      if (tap + v < TAPS) run.value[v] = to<Sum>(filter.values[first + tap_index<TAPS>(tap + v)]);
    return run;
  }
};

template <int TAPS, class Block>
__device__ __forceinline__ Taps<TAPS> take_taps(const FilterArgument<TAPS>& filter, int channel,
                                                Sum* /*copy*/) {
  return {filter, kOwnFilters ? channel * TAPS : 0};
}
#else
template <int TAPS>
using FilterArgument = const Element*;

template <int TAPS>
struct Taps {
  const Sum* copy;

  __device__ __forceinline__ Run<4, Sum> read(int tap) const {
    return *reinterpret_cast<const Run<4, Sum>*>(copy + tap);
  }
};

// Ready after the next __syncthreads(). The copy has round_up(TAPS, 4) places.
template <int TAPS, class Block>
__device__ __forceinline__ Taps<TAPS> take_taps(const Element* filter, int channel, Sum* copy) {
  const int first = kOwnFilters ? channel * TAPS : 0;
  for (int tap = Block::index(); tap < TAPS; tap += Block::kThreads)
    copy[tap] = to<Sum>(filter[first + tap_index<TAPS>(tap)]);
  return {copy};
}
#endif

using RowTaps = Taps<PROBLEM_FILTER_WIDTH>;
using ColumnTaps = Taps<PROBLEM_FILTER_HEIGHT>;
using RowFilter = FilterArgument<PROBLEM_FILTER_WIDTH>;
using ColumnFilter = FilterArgument<PROBLEM_FILTER_HEIGHT>;

// Places of the copy of the row's taps; the column's lie behind them.
constexpr int kRowTapPlaces = round_up(PROBLEM_FILTER_WIDTH, 4);
