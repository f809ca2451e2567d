// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The sums of a block's threads along K become one, through shared memory.

#include "products.cuh"

constexpr int kBlockSums = kThin * kBlockPositions;  // as [thin][position]

// Threads put their sums beside those of the others, of so many thin indices at a time, and read
// them in runs where neighbouring threads wrote neighbouring positions.
constexpr int kAtOnce = kThin < 8 ? kThin : 8;
constexpr int kShareRun = kWideAlongK ? 1 : 4;
constexpr int kSharePitch = kAtOnce * kBlockPositions + (kWideAlongK ? 1 : 0);
static_assert(kBlockPositions % 4 == 0, "sums are read four at a time");

template <int N>
__device__ __forceinline__ void add(Run<N, Sum>& sum, const Run<N, Sum>& next) {
#pragma unroll
  for (int i = 0; i < N; ++i) sum.value[i] += next.value[i];
}

__device__ __forceinline__ Sum* shared_sums() {
  return reinterpret_cast<Sum*>(shared);
}

// Puts this thread's sums of the thin indices from `first` on to shared memory.
__device__ __forceinline__ void share_sums(const Sums& sums, int first) {
#pragma unroll
  for (int t = 0; t < kAtOnce; ++t)
#pragma unroll
    for (int run = 0; run < RUNS; ++run) {
      if (first + t >= kThin) break;
      Run<kRunPositions, Sum> values;
#pragma unroll
      for (int i = 0; i < kRunPositions; ++i)
        values.value[i] = sums[run * kRunPositions + i][(first + t) % kThin];
      *reinterpret_cast<Run<kRunPositions, Sum>*>(shared_sums() + thread_along() * kSharePitch +
                                                  t * kBlockPositions + position_of(run, 0)) =
          values;
    }
}

// Gives `use` the block's sums, kShareRun neighbours at a time with the index of the first, each to
// one thread. Nothing else is in shared memory any more.
template <class Use>
__device__ __forceinline__ void add_along_k(const Sums& sums, const Use& use) {
#pragma unroll
  for (int first = 0; first < kThin; first += kAtOnce) {
    __syncthreads();
    share_sums(sums, first);
    __syncthreads();
    const int end = min(kAtOnce, kThin - first) * kBlockPositions;
    for (int i = static_cast<int>(threadIdx.x) * kShareRun; i < end; i += kThreads * kShareRun) {
      Run<kShareRun, Sum> sum = {};
#pragma unroll 8
      for (int along = 0; along < ALONG; ++along)
        add(sum,
            *reinterpret_cast<const Run<kShareRun, Sum>*>(shared_sums() + along * kSharePitch + i));
      use(first * kBlockPositions + i, sum);
    }
  }
}
