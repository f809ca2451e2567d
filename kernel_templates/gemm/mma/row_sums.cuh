// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The sums of a thread as partial sums of its tile.

#include "geometry.cuh"
#include "partial_sums.cuh"

// To this thread's places of a part.
__device__ __forceinline__ void write_partial_sums(Run<4, Sum>* sums_of_part, const Sums& sums) {
#pragma unroll
  for (int i = 0; i < kRowsOfFragments; ++i)
#pragma unroll
    for (int j = 0; j < kColumnsOfProducts; ++j) {
      const Sum(&four)[4] = sums[i][j];
      sums_of_part[(i * kColumnsOfProducts + j) * kThreads + static_cast<int>(threadIdx.x)] = {
          {four[0], four[1], four[2], four[3]}};
    }
}

// The whole sums of rows `i` of fragments.
template <int AT_ONCE>
__device__ __forceinline__ void add_partial_sums(RowSums& sums, const Run<4, Sum>* sums_of_tile,
                                                 int i, int parts) {
#pragma unroll
  for (int j = 0; j < kColumnsOfProducts; ++j) {
    const Run<4, Sum> sum =
        add_partial_sums<AT_ONCE>(sums_of_tile, i * kColumnsOfProducts + j, parts);
#pragma unroll
    for (int v = 0; v < 4; ++v) sums[j][v] = sum.value[v];
  }
}
