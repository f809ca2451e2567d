// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Filters as conv_layer/blocked and window read them: [group][tile of BLOCK_N filters][k][filter],
// with zeros up to a multiple of BLOCK_N filters and BLOCK_K ks.

#include "dependent_launch.cuh"
#include "types.cuh"

constexpr int kPrepared = 16;  // ks and filters that a block prepares; BLOCK_N is a multiple

// Grid: x = tiles of kPrepared ks, y = of kPrepared filters, up to a multiple of BLOCK_N, z =
// groups; kPrepared · 8 threads.
extern "C" __global__ void conv_layer_prepare_filters(const Element* __restrict__ filter,
                                                      Element* __restrict__ prepared, int filters,
                                                      int depth) {
  __shared__ Element elements[kPrepared][kPrepared + 1];
  allow_launch_behind();
  const int x = static_cast<int>(threadIdx.x);
  const int first_k = static_cast<int>(blockIdx.x) * kPrepared;
  const int first = static_cast<int>(blockIdx.y) * kPrepared;
  const Element* const source = filter + static_cast<int>(blockIdx.z) * filters * depth;
  for (int y = static_cast<int>(threadIdx.y); y < kPrepared; y += static_cast<int>(blockDim.y))
    elements[y][x] = first + y < filters && first_k + x < depth
                         ? source[(first + y) * depth + first_k + x]
                         : Element{};
  __syncthreads();
  const int padded_depth = (depth + BLOCK_K - 1) / BLOCK_K * BLOCK_K;
  const int column = static_cast<int>(blockIdx.z * gridDim.y) * kPrepared + first;
  Element* const target =
      prepared + static_cast<long long>(column / BLOCK_N) * padded_depth * BLOCK_N;
  for (int y = static_cast<int>(threadIdx.y); y < kPrepared; y += static_cast<int>(blockDim.y))
    if (first_k + y < padded_depth)
      target[(first_k + y) * BLOCK_N + column % BLOCK_N + x] = elements[x][y];
}
