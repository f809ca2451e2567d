// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// A tile of the image on its way to shared memory.

#include "async_copy.cuh"
#include "geometry.cuh"

// Images of two dimensions; rows of all channels.
struct Images {
  const Element* elements;
  int row_elements;
  int height;
};

// Where a tile's first unit lies in its image. It may lie outside.
struct TilePlace {
  int batch;
  int row;
  int element;
};

// All threads begin to copy a tile, zeros beyond the image. It is there after the wait for
// asynchronous copies.
__device__ __forceinline__ void start_tile(Element* tile, const Images& images,
                                           const TilePlace& place) {
  constexpr int kVectors = kPitch / VECTOR_K;
  constexpr int kLoads = (kTileRows * kVectors + kThreads - 1) / kThreads;
  const Element* const image = images.elements + place.batch * images.height * images.row_elements;
#pragma unroll 4
  for (int i = 0; i < kLoads; ++i) {
    const int vector = static_cast<int>(threadIdx.x) + i * kThreads;
    if (vector >= kTileRows * kVectors) break;
    const int row = place.row + vector / kVectors;
    const int element = place.element + vector % kVectors * VECTOR_K;
    const bool exists =
        row >= 0 && row < images.height && element >= 0 && element < images.row_elements;
    start_copy_or_zeros<VECTOR_K>(tile + vector * VECTOR_K,
                                  image + (row * images.row_elements + element), exists);
  }
}

// All threads write the second copy: its elements are those after each of the tile's.
__device__ __forceinline__ void copy_shifted(Element* second, const Element* tile) {
  const auto* const words = reinterpret_cast<const unsigned*>(tile);
#pragma unroll 4
  for (int unit = static_cast<int>(threadIdx.x); unit < kTileElements / kUnit; unit += kThreads) {
    const Run<4, unsigned> four = *reinterpret_cast<const Run<4, unsigned>*>(words + 4 * unit);
    const unsigned next = words[4 * unit + 4];
    Run<4, unsigned> shifted;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      shifted.value[i] = __funnelshift_r(four.value[i], i < 3 ? four.value[(i + 1) % 4] : next, 16);
    *reinterpret_cast<Run<4, unsigned>*>(second + unit * kUnit) = shifted;
  }
}
