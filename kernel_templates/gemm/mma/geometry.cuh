// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Who computes what: blocks of C, warps of a block.

#include "tile_order.cuh"
#include "types.cuh"

constexpr int kWarpsM = BLOCK_M / WARP_M;
constexpr int kWarpsN = BLOCK_N / WARP_N;
constexpr int kWarps = kWarpsM * kWarpsN;
constexpr int kThreads = 32 * kWarps;

// A warp's tile in fragments of 16 rows and 16 columns, and in products of 16 rows and 8 columns.
constexpr int kRowsOfFragments = WARP_M / 16;
constexpr int kColumnsOfFragments = WARP_N / 16;
constexpr int kColumnsOfProducts = WARP_N / 8;

static_assert(BLOCK_M % WARP_M == 0 && BLOCK_N % WARP_N == 0, "warps tile a block");
static_assert(WARP_M % 16 == 0 && WARP_N % 16 == 0, "fragments tile a warp's tile");

// A thread's sums of 16 rows of its warp's tile, and of all of them.
using RowSums = Sum[kColumnsOfProducts][4];
using Sums = RowSums[kRowsOfFragments];

// Where the tile of warp `warp` begins in its block's.
__device__ __forceinline__ MatrixPlace warp_place(int warp) {
  return {warp / kWarpsN * WARP_M, warp % kWarpsN * WARP_N};
}
