// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The sums of a thread as partial sums of its tile. With REDUCTION = cluster the blocks that share
// K are a cluster, in the order of the parts, and each has its sums in shared memory.

#include "cluster.cuh"
#include "fragments.cuh"
#include "partial_sums.cuh"

// To this thread's places of a part.
__device__ __forceinline__ void write_partial_sums(Run<4, Sum>* sums_of_part, const Sums& sums) {
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
    for (int j = 0; j < (THREAD_N / 4); ++j) {
      Run<4, Sum> run;
#pragma unroll
      for (int v = 0; v < 4; ++v) run.value[v] = sums[i][4 * j + v];
      sums_of_part[(i * (THREAD_N / 4) + j) * kThreads + static_cast<int>(threadIdx.x)] = run;
    }
}

// The sum of the PARTS parts in the cluster's shared memory, this block's at `sums_of_part`.
template <int PARTS>
__device__ __forceinline__ Run<4, Sum> add_cluster_sums(const Run<4, Sum>* sums_of_part, int run) {
  const Run<4, Sum>* const own = sums_of_part + (run * kThreads + static_cast<int>(threadIdx.x));
  Run<4, Sum> parts[PARTS];
#pragma unroll
  for (int part = 0; part < PARTS; ++part) parts[part] = read_of_block(own, part);
  Run<4, Sum> sum = {};
#pragma unroll
  for (int part = 0; part < PARTS; ++part)
#pragma unroll
    for (int v = 0; v < 4; ++v) sum.value[v] += parts[part].value[v];
  return sum;
}
