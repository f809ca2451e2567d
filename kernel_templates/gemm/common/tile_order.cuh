// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Which tile of C a block computes: BLOCK_M × BLOCK_N elements, GROUP rows of tiles at a time.

struct MatrixPlace {
  int row, column;
};

__device__ __forceinline__ MatrixPlace operator+(const MatrixPlace& a, const MatrixPlace& b) {
  return {a.row + b.row, a.column + b.column};
}

// Where the tile of block `block` begins. Blocks that run at the same time work on GROUP rows of
// tiles, so that they share what they read of both matrices in the L2.
__device__ __forceinline__ MatrixPlace block_place(int block, int rows, int columns) {
  const int tiles_m = (rows + BLOCK_M - 1) / BLOCK_M;
  const int tiles_n = (columns + BLOCK_N - 1) / BLOCK_N;
  const int first = block / (GROUP * tiles_n) * GROUP;
  const int height = min(GROUP, tiles_m - first);
  const int within = block - first * tiles_n;
  return {(first + within % height) * BLOCK_M, within / height * BLOCK_N};
}
