// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// SPLIT_K blocks share K, one behind the other along y of the grid. Where SPLIT_K is no macro, the
// code serves any number of them above 1.

#ifdef SPLIT_K
#define IS_SPLIT (SPLIT_K > 1)
constexpr int kMostParts = SPLIT_K;
__device__ __forceinline__ int parts_of_k() {
  return SPLIT_K;
}
#else
#define IS_SPLIT 1
constexpr int kMostParts = 65535;
__device__ __forceinline__ int parts_of_k() {
  return static_cast<int>(gridDim.y);
}
#endif

// The first of a part's tiles of K; that of part `parts` is the number of tiles.
__device__ __forceinline__ int first_tile_of(int part, int parts, int tiles) {
  return tiles / parts * part + min(part, tiles % parts);
}
