// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// With SPLIT_K above 1, that many blocks share a tile of C, each with its part of K. Their sums lie
// in the workspace as [tile][part][run of a thread][thread], in runs of four, behind one counter a
// tile, and are added up in the order of the parts. kThreads, the threads of a block, and Sum are
// there before this header.

#include "last_block.cuh"
#include "run.cuh"
#include "split_k.cuh"

constexpr int kTileRuns = BLOCK_M * BLOCK_N / 4;

// `tiles` in all, of all matrices of the batch; counters take a multiple of 32.
__device__ __forceinline__ Run<4, Sum>* partial_sums(Counter* workspace, int tiles, int tile,
                                                     int parts) {
  return reinterpret_cast<Run<4, Sum>*>(workspace + (tiles + 31) / 32 * 32) +
         static_cast<long long>(tile) * (parts * kTileRuns);
}

// The whole sum of run `run` of a thread; AT_ONCE parts are read at a time.
template <int AT_ONCE>
__device__ __forceinline__ Run<4, Sum> add_partial_sums(const Run<4, Sum>* sums_of_tile, int run,
                                                        int all_parts) {
  const Run<4, Sum>* const first = sums_of_tile + (run * kThreads + static_cast<int>(threadIdx.x));
  Run<4, Sum> sum = {};
#pragma unroll 1
  for (int part = 0; part < all_parts; part += AT_ONCE) {
    Run<4, Sum> parts[AT_ONCE];
#pragma unroll
    for (int p = 0; p < AT_ONCE; ++p)
      if (part + p < all_parts) parts[p] = read_past_l1(first + (part + p) * kTileRuns);
#pragma unroll
    for (int p = 0; p < AT_ONCE; ++p)
      if (part + p < all_parts)
#pragma unroll
        for (int v = 0; v < 4; ++v) sum.value[v] += parts[p].value[v];
  }
  return sum;
}
