// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// 2-D filters over planes of FP32 images, any width, height and pitch, 1 × 1 to 63 × 63 taps, odd
// or even, any anchor, images smaller than the filter included:
//   output[y][x] = sum over j, i of filter[j][i] · image[y + j − anchor_y][x + i − anchor_x]
// (taps in reverse order along both axes with flip = yes; ghost samples as boundary says). A
// thread computes OUTPUTS_X outputs side by side in OUTPUTS_Y rows, all in registers, and reads a
// row of the image once for all outputs that need it. A block computes a tile of threads ·
// outputs, then MARCH − 1 more below it. Blocks whose tile and halo lie within the image run code
// without any test of an edge.
//
// BLOCK_X, BLOCK_Y      threads                              32 … 1024 in all
// OUTPUTS_X, OUTPUTS_Y  outputs a thread                     at most 64 in all
// LOADING  cooperative: all threads copy the tile and its halo to shared memory, in one loop
//          split: the tile's own columns first, then the columns beside them
//          async: as cooperative, by copies that go on meanwhile (cp.async, sm_80 and later)
//          cache: no shared memory; threads read what they need through the cache
// VECTOR   floats of one access to global memory             1, 4; divides pitch
// MARCH    tiles of a block, one below the other: halo rows  1 …; with async the next tile is
//          between them are loaded once                      loaded while one is computed
// FILTER   value: the taps are a parameter by value and come as operands out of constant memory
//          shared: they are copied to shared memory
// UNROLL   rows of the filter whose code is written out; the others are a loop around it. 64: all
// MIN_BLOCKS  blocks that must fit on an SM at once, at the price of registers
//
// Compiled in: the filter's size and anchor, boundary, flip, filters; with FILTER = value and
// filters = per_channel also channels.
// Shared memory, dynamic: rows of kPitch floats, as many as kRing says; the filter if it is there.
// Registers: OUTPUTS_X · OUTPUTS_Y, a window of OUTPUTS_X + filter_width − 1, and about 24.
// Code: about OUTPUTS_X · OUTPUTS_Y · filter_width · UNROLL multiply-adds, which is what compiling
// takes its time for; with LOADING = cache twice as many.
// Grid: x = tiles across, y = marches down, z = planes, each block taking every 65535th.
// After: Kirk and Hwu, Programming Massively Parallel Processors, chapter 7 (tiled convolution with
// halo cells); Iandola et al., Communication-minimizing 2D convolution in GPU registers, 2013.

#include "geometry.cuh"
#include "loading.cuh"
#include "products.cuh"

// Writes the thread's outputs of the tile whose first output is at (row, column).
// Runs are written as one only if ALIGNED.
template <bool WHOLE, bool ALIGNED>
__device__ __forceinline__ void write_sums(float* output, const Plane& plane, int row, int column,
                                           const float (&sums)[OUTPUTS_Y][OUTPUTS_X]) {
  constexpr int kRun = ALIGNED ? kRunOfOutputs : 1;
  const int y = row + thread_y() * OUTPUTS_Y;
  const int x = column + thread_x() * OUTPUTS_X;
#pragma unroll
  for (int j = 0; j < OUTPUTS_Y; ++j) {
    if (!WHOLE && y + j >= plane.height) return;
    float* target = output + ((y + j) * plane.pitch + x);
#pragma unroll
    for (int i = 0; i < OUTPUTS_X; i += kRun) {
      if (WHOLE || x + i + kRun <= plane.width) {
        Run<kRun> run;
#pragma unroll
        for (int v = 0; v < kRun; ++v) run.value[v] = sums[j][i + v];
        *reinterpret_cast<Run<kRun>*>(target + i) = run;
      } else {
#pragma unroll
        for (int v = 0; v < kRun; ++v)
          if (x + i + v < plane.width) target[i + v] = sums[j][i + v];
      }
    }
  }
}

__device__ __forceinline__ void write_tile(float* output, const Plane& plane, int row, int column,
                                           const float (&sums)[OUTPUTS_Y][OUTPUTS_X]) {
  if (VECTOR == 1 && plane.pitch % kRunOfOutputs != 0)
    write_sums<false, false>(output, plane, row, column, sums);
  else if (row + kTileRows <= plane.height && column + kTileColumns <= plane.width)
    write_sums<true, true>(output, plane, row, column, sums);
  else
    write_sums<false, true>(output, plane, row, column, sums);
}

#if LOADING == LOADING_CACHE
__device__ __forceinline__ void filter_tiles(const Plane& plane, float* output, const Taps& taps,
                                             float* /*tile*/) {
  const int row = static_cast<int>(blockIdx.y) * kTileRows;
  const int column = static_cast<int>(blockIdx.x) * kTileColumns;
  float sums[OUTPUTS_Y][OUTPUTS_X] = {};
  if (is_interior<kRows>(plane, row - PROBLEM_ANCHOR_Y, column - kLeft))
    add_products(sums, CachedRows<true>{plane, row, column}, taps);
  else
    add_products(sums, CachedRows<false>{plane, row, column}, taps);
  write_tile(output, plane, row, column, sums);
}
#else
__device__ __forceinline__ void filter_tiles(const Plane& plane, float* output, const Taps& taps,
                                             float* tile) {
  int row = static_cast<int>(blockIdx.y) * (kTileRows * MARCH);
  const int column = static_cast<int>(blockIdx.x) * kTileColumns;
  int slot = 0;  // in the ring, of the first row that the present tile needs
  load_rows<kRows>(tile, 0, plane, row - PROBLEM_ANCHOR_Y, column - kLeft);
  finish_loading();
#pragma unroll 1
  for (int step = 1;; ++step) {
    const bool goes_on = step < MARCH && row + kTileRows < plane.height;
    const int next_row = row + kRows - PROBLEM_ANCHOR_Y;
    if (kAsync && goes_on)
      load_rows<kTileRows>(tile, in_ring(slot + kRows), plane, next_row, column - kLeft);
    float sums[OUTPUTS_Y][OUTPUTS_X] = {};
    add_products(sums, SharedRows{tile, slot}, taps);
    write_tile(output, plane, row, column, sums);
    if (!goes_on) return;
    if (!kAsync) {
      __syncthreads();
      load_rows<kTileRows>(tile, in_ring(slot + kRows), plane, next_row, column - kLeft);
    }
    finish_loading();
    row += kTileRows;
    slot = in_ring(slot + kTileRows);
  }
}
#endif

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv2d_halo(const float* __restrict__ image, const __grid_constant__ FilterArgument filter,
                float* __restrict__ output, int width, int height, int pitch, int channels,
                int planes) {
  extern __shared__ __align__(16) float shared[];
  const int stride = height * pitch;
#pragma unroll 1
  for (int index = static_cast<int>(blockIdx.z); index < planes;
       index += static_cast<int>(gridDim.z)) {
    if (index >= static_cast<int>(gridDim.z)) __syncthreads();  // shared memory is used anew
    const int first_tap = kOwnFilters ? index % channels * kTaps : 0;
    const Taps taps = take_taps(filter, first_tap, shared + kTileFloats);
    if (LOADING == LOADING_CACHE && FILTER == FILTER_SHARED) __syncthreads();
    const Plane plane = {image + index * stride, width, height, pitch};
    filter_tiles(plane, output + index * stride, taps, shared);
  }
}
