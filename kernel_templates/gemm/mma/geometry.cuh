// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Who computes what: blocks of C, warps of a block.

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

struct Place {
  int row, column;
};

// Where the tile of warp `warp` begins in its block's.
__device__ __forceinline__ Place warp_place(int warp) {
  return {warp / kWarpsN * WARP_M, warp % kWarpsN * WARP_N};
}

// Where the tile of block `block` begins. Blocks that run at the same time work on GROUP rows of
// tiles, so that they share what they read of both matrices in the L2.
__device__ __forceinline__ Place block_place(int block, int rows, int columns) {
  const int tiles_m = (rows + BLOCK_M - 1) / BLOCK_M;
  const int tiles_n = (columns + BLOCK_N - 1) / BLOCK_N;
  const int first = block / (GROUP * tiles_n) * GROUP;
  const int height = min(GROUP, tiles_m - first);
  const int within = block - first * tiles_n;
  return {(first + within % height) * BLOCK_M, within / height * BLOCK_N};
}
