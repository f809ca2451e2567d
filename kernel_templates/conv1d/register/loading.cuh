// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Sizes and places that all of conv1d/register shares, and how tiles come into shared memory by the
// threads themselves.

#include "filter_types.cuh"
#include "integers.cuh"
#include "vector_copy.cuh"

constexpr int kTile = BLOCK * OUTPUTS;
constexpr bool kAsync = LOADING == LOADING_ASYNC;
constexpr bool kSkewed = OUTPUTS > 4;

// Samples are kept from a multiple of VECTOR on: kLeft before the tile's first one, of which the
// first kShift are not needed.
constexpr int kShift = (VECTOR - PROBLEM_TAPS / 2 % VECTOR) % VECTOR;
constexpr int kLeft = PROBLEM_TAPS / 2 + kShift;
constexpr int kRuns = round_up(kShift + kTile + PROBLEM_TAPS - 1, 4) / 4;
constexpr int kVectors = (kShift + kTile + PROBLEM_TAPS - 1 + VECTOR - 1) / VECTOR;
constexpr int kTileElements = 4 * (kSkewed ? kRuns + kRuns / 8 : kRuns);

// What samples are kept as: copies that go on by themselves change no type.
using Kept = Choose<LOADING != LOADING_COOPERATIVE, Element, Sum>::Type;

struct Signal {
  const Element* samples;
  int length;
};

// The place in shared memory of a sample counted from the first that is kept.
__device__ __forceinline__ int place(int sample) {
  return kSkewed ? sample + static_cast<int>(static_cast<unsigned>(sample) / 32) * 4 : sample;
}

__device__ __forceinline__ bool is_interior(const Signal& signal, int first) {
  return first >= 0 && first + 4 * kRuns <= signal.length;
}

// The samples from `first` on, where some of them may be ghosts.
__device__ __forceinline__ void load_ends(Kept* tile, const Signal& signal, int first) {
#pragma unroll 1
  for (int sample = static_cast<int>(threadIdx.x) * VECTOR; sample < kVectors * VECTOR;
       sample += BLOCK * VECTOR)
    copy_vector_or_ghosts<VECTOR, kAsync>(tile + place(sample), signal.samples, first + sample,
                                          signal.length);
}

// The samples at `source`, all of which exist.
__device__ __forceinline__ void load_interior(Kept* tile, const Element* source) {
  constexpr int kTrips = kVectors / BLOCK;
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int trip = 0; trip < kTrips; ++trip) {
    const int sample = (thread + trip * BLOCK) * VECTOR;
    copy_vector<VECTOR, kAsync>(tile + place(sample), source + sample);
  }
  const int sample = (thread + kTrips * BLOCK) * VECTOR;
  if (kVectors % BLOCK != 0 && sample < kVectors * VECTOR)
    copy_vector<VECTOR, kAsync>(tile + place(sample), source + sample);
}

struct ThreadLoader {
  // The tile that begins at `start`, with its halo.
  __device__ __forceinline__ void start(Kept* tile, const Signal& signal, int start) const {
    const int first = start - kLeft;
    if (is_interior(signal, first))
      load_interior(tile, signal.samples + first);
    else
      load_ends(tile, signal, first);
  }

  // Everything that was started is ready.
  __device__ __forceinline__ void finish() const {
    if (kAsync) wait_for_copies();
    release();
  }

  // No thread uses any more what was loaded.
  __device__ __forceinline__ void release() const { __syncthreads(); }
};
