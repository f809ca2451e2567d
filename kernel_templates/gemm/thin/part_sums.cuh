// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The sums of the blocks that share K become one, by the last of these blocks.

#include "block_sums.cuh"
#include "integers.cuh"
#include "split_k.cuh"

constexpr int kQuads = kBlockSums / 4;  // a thread reads four sums at a time

// So many threads share the parts of a quad where a block has more threads than quads; 0 or 1: none
// do. There is room for their sums in shared memory, which has held ALONG times min(8, thin side)
// sums of each position.
constexpr int kLanes = smaller(smaller(8, ALONG / 4), kThreads / kQuads);

// Parts on their way to a thread at a time. More of them would take registers from the loop.
#ifdef SPLIT_K
constexpr int kPartsAtOnce = smaller(SPLIT_K, 16);
#else
constexpr int kPartsAtOnce = kPositions * kThin < 32 ? 4 : kPositions * kThin < 64 ? 8 : 16;
#endif

// The sum of every `step`-th part of a quad, from part `begin` on.
__device__ __forceinline__ Run<4, Sum> add_parts(const Sum* parts, int quad, int begin, int step) {
  const auto* const first = reinterpret_cast<const Run<4, Sum>*>(parts) + quad;
  Run<4, Sum> sum = {};
  for (; begin < parts_of_k(); begin += kPartsAtOnce * step) {
    Run<4, Sum> next[kPartsAtOnce];
#pragma unroll
    for (int i = 0; i < kPartsAtOnce; ++i)
      if (begin + i * step < parts_of_k())
        next[i] = read_past_l1(first + (begin + i * step) * kQuads);
#pragma unroll
    for (int i = 0; i < kPartsAtOnce; ++i)
      if (begin + i * step < parts_of_k()) add(sum, next[i]);
  }
  return sum;
}

// Gives `use` the sums of all parts, four neighbours at a time with the index of the first, each to
// one thread. `parts` is [part][sum]. Nothing in shared memory is read any more but the flag of
// is_last_block().
template <class Use>
__device__ __forceinline__ void add_along_parts(const Sum* parts, const Use& use) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (kLanes < 2) {
#pragma unroll 2
    for (int quad = thread; quad < kQuads; quad += kThreads)
      use(4 * quad, add_parts(parts, quad, 0, 1));
  } else {
    auto* const lanes =
        reinterpret_cast<Run<4, Sum>*>(shared + 4);  // behind the flag of the last block
    if (thread < kLanes * kQuads)
      lanes[thread] = add_parts(parts, thread % kQuads, thread / kQuads, kLanes);
    __syncthreads();
    if (thread >= kQuads) return;
    Run<4, Sum> sum = lanes[thread];
#pragma unroll
    for (int lane = 1; lane < kLanes; ++lane) add(sum, lanes[lane * kQuads + thread]);
    use(4 * thread, sum);
  }
}
