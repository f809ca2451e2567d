// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// With SPLIT_K above 1, that many blocks share a tile of C, each with its part of K. A part's sums
// lie as [run of a thread][thread] of the threads that multiply, in the shared memory of the
// cluster's blocks or in the workspace (partial_sums.cuh). They are added in the order of the
// parts, so the answer is always the same.

#include "storing.cuh"  // with kThreads, which the next one needs

#include "partial_sums.cuh"

constexpr int kRuns = kBands * kRunsOfBand;  // of a thread

// Where run `run` of this thread is in a part.
__device__ __forceinline__ int place_in_part(int run) {
  return run * kConsumerThreads + static_cast<int>(threadIdx.x) - kGroupThreads;
}

__device__ __forceinline__ void write_part(Run<4, Sum>* part, const Sums& sums) {
#pragma unroll
  for (int run = 0; run < kRuns; ++run)
    part[place_in_part(run)] = *reinterpret_cast<const Run<4, Sum>*>(
        &sums.value[run / kRunsOfBand][run % kRunsOfBand * 4]);
}

// Adds up a run of this thread, of which `part_of(p)` is what part p has, and stores it.
template <class PART_OF>
__device__ __forceinline__ void write_whole_run(const Output& output, const Tile& tile, int first,
                                                int run, PART_OF&& part_of) {
  constexpr int kAtOnce = SPLIT_K < 8 ? SPLIT_K : 8;
  Sum sum[4] = {};
#pragma unroll 1
  for (int part = 0; part < SPLIT_K; part += kAtOnce) {
    Run<4, Sum> parts[kAtOnce];
#pragma unroll
    for (int p = 0; p < kAtOnce; ++p)
      if (part + p < SPLIT_K) parts[p] = part_of(part + p);
#pragma unroll
    for (int p = 0; p < kAtOnce; ++p)
      if (part + p < SPLIT_K)
#pragma unroll
        for (int v = 0; v < 4; ++v) sum[v] += parts[p].value[v];
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) write_pair(output, tile, pair_of(sum, first, run, half));
}

// The blocks of a cluster each add up and store their share of a tile's runs.
__device__ __forceinline__ void write_cluster_sums(const Output& output, const Tile& tile,
                                                   const Sums& sums, int first,
                                                   const ClusterPlace& place) {
  auto* const own = reinterpret_cast<Run<4, Sum>*>(shared);
  wait_at_named_barrier(1, kConsumerThreads);  // all have read the ring
  write_part(own, sums);
  synchronise_cluster();
#pragma unroll 2
  for (int run = place.part; run < kRuns; run += SPLIT_K)
    write_whole_run(output, tile, first, run, [&](int part) {
      const ClusterPlace other = {place.m, place.n, part};
      return read_of_block(own + place_in_part(run), other.rank_of(place.m, place.n));
    });
}

// The last of a tile's blocks adds up and stores all of it.
__device__ __forceinline__ void write_last_sums(const Output& output, const Tile& tile,
                                                const Sums& sums, int first, int part,
                                                Counter* workspace) {
  const int number = static_cast<int>(blockIdx.x);
  Run<4, Sum>* const parts = partial_sums(workspace, static_cast<int>(gridDim.x), number, SPLIT_K);
  write_part(parts + part * kTileRuns, sums);
  if (!is_last_group(workspace + number, SPLIT_K, reinterpret_cast<float*>(shared),
                     threadIdx.x == kGroupThreads,
                     [] { wait_at_named_barrier(1, kConsumerThreads); }))
    return;
#pragma unroll 2
  for (int run = 0; run < kRuns; ++run)
    write_whole_run(output, tile, first, run, [&](int of_part) {
      return read_past_l1(parts + of_part * kTileRuns + place_in_part(run));
    });
}
