// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// 2-D filters over planes of images, any width, height and pitch, 1 × 1 to 111 × 111 taps,
// odd or even, any anchor, images smaller than the filter included:
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
//          async: as split, by copies that go on meanwhile (cp.async, sm_80 and later)
//          cache: no shared memory; threads read what they need through the cache
//          bulk: as a box that one thread asks for (sm_90 and later, float32 only); at an image's
//          edges with a boundary other than zero as cooperative; at most 256 columns and rows with
//          the halo
// VECTOR   elements of one access to global memory           1, 4; divides pitch; 4 with bulk
// MARCH    tiles of a block, one below the other             1 …; with async and bulk the next tile
//                                                            is loaded while one is computed, with
//                                                            async without the rows they share
// FILTER   value: the taps are a parameter by value and come as operands out of constant memory
//          shared: they are copied to shared memory
// UNROLL   rows of the filter whose code is written out; the others are a loop around it. 64: all
// MIN_BLOCKS  blocks that must fit on an SM at once, at the price of registers
//
// Compiled in: the filter's size and anchor, boundary, flip, filters, type (filter_types.cuh); with
// FILTER = value and filters = per_channel also channels.
// Shared memory, dynamic: rows of kPitch samples, as many as kRing says, which are sums where
// threads copy them; the filter as sums if it is there.
// Registers: OUTPUTS_X · OUTPUTS_Y, a window of OUTPUTS_X + filter_width − 1, and about 24.
// Code: about OUTPUTS_X · OUTPUTS_Y · filter_width · UNROLL multiply-adds, which is what compiling
// takes its time for; with LOADING = cache twice as many.
// Grid: x = tiles across, y = marches down, z = planes, each block taking every 65535th.
// After: Kirk and Hwu, Programming Massively Parallel Processors, chapter 7 (tiled convolution with
// halo cells); Iandola et al., Communication-minimizing 2D convolution in GPU registers, 2013.

#include "filter_products.cuh"
#include "image_output.cuh"
#include "rows.cuh"

#if LOADING == LOADING_BULK
#include "bulk_tile_loading.cuh"
static_assert(kSameType<Element, float>, "a run of four is 16 bytes");
static_assert(kLeft % 4 == 0 && kTileColumns % 4 == 0, "boxes begin at multiples of 16 bytes");
#else
#include "tile_loading.cuh"
#endif

// Writes the thread's outputs of the tile whose first output is at (row, column).
__device__ __forceinline__ void write_outputs(const Output& output, int row, int column,
                                              const Sum (&sums)[1][OUTPUTS_Y][OUTPUTS_X]) {
  const bool is_whole =
      row + kTileRows <= output.plane.height && column + kTileColumns <= output.plane.width;
  write_tile(output.plane, row + thread_y() * OUTPUTS_Y, column + thread_x() * OUTPUTS_X, is_whole,
             sums[0], output);
}

#if LOADING == LOADING_CACHE  // threads load what they need when they need it
__device__ __forceinline__ void filter_tiles(const Plane& plane, const Output& output,
                                             const Taps& taps, Kept* /*tile*/,
                                             ThreadLoader<HaloTile>& /*loader*/) {
  const int row = static_cast<int>(blockIdx.y) * kTileRows;
  const int column = static_cast<int>(blockIdx.x) * kTileColumns;
  Sum sums[1][OUTPUTS_Y][OUTPUTS_X] = {};
  if (is_interior<HaloTile, kRows>(plane, row - PROBLEM_ANCHOR_Y, column - kLeft))
    add_products(sums, CachedRows<true>(plane, row, column), taps, 0);
  else
    add_products(sums, CachedRows<false>(plane, row, column), taps, 0);
  write_outputs(output, row, column, sums);
}
#else
template <class Loader>
__device__ __forceinline__ void filter_tiles(const Plane& plane, const Output& output,
                                             const Taps& taps, Kept* tile, Loader& loader) {
  int row = static_cast<int>(blockIdx.y) * (kTileRows * MARCH);
  const int column = static_cast<int>(blockIdx.x) * kTileColumns;
  int slot = 0;  // in the ring, of the first row that the present tile needs
  loader.template start<kRows>(tile, 0, plane, row - PROBLEM_ANCHOR_Y, column - kLeft);
  loader.finish();
#pragma unroll 1
  for (int step = 1;; ++step) {
    const bool goes_on = step < MARCH && row + kTileRows < plane.height;
    const int new_slot = in_ring(slot + kNewSlot);
    const int new_row = row + kTileRows + kRows - kNewRows - PROBLEM_ANCHOR_Y;
    if (kAhead && goes_on)
      loader.template start<kNewRows>(tile, new_slot, plane, new_row, column - kLeft);
    Sum sums[1][OUTPUTS_Y][OUTPUTS_X] = {};
    add_products(sums, SharedRows(tile, slot), taps, 0);
    write_outputs(output, row, column, sums);
    if (!goes_on) return;
    if (!kAhead) {
      __syncthreads();
      loader.template start<kNewRows>(tile, new_slot, plane, new_row, column - kLeft);
    }
    loader.finish();
    row += kTileRows;
    slot = in_ring(slot + kNextSlot);
  }
}
#endif

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv2d_halo(const Element* __restrict__ image,
#if LOADING == LOADING_BULK
                const __grid_constant__ TensorMap map,
#endif
                const __grid_constant__ FilterArgument filter, Element* __restrict__ output,
                int width, int height, int pitch, int channels, int planes EPILOGUE_PARAMETERS) {
  extern __shared__ __align__(128) Kept shared[];
#if LOADING == LOADING_BULK
  __shared__ BulkBarrier barrier;
  BulkLoader<HaloTile> loader(map, &barrier);
#else
  ThreadLoader<HaloTile> loader;
#endif
  const int stride = height * pitch;
#pragma unroll 1
  for (int index = static_cast<int>(blockIdx.z); index < planes;
       index += static_cast<int>(gridDim.z)) {
    if (index >= static_cast<int>(gridDim.z)) __syncthreads();  // shared memory is used anew
    const int first_tap = kOwnFilters ? index % channels * kTaps : 0;
    const Taps taps = take_taps(
        filter, first_tap, reinterpret_cast<Sum*>(reinterpret_cast<char*>(shared) + kTileBytes),
        thread_index());
    if (LOADING == LOADING_CACHE && FILTER == FILTER_SHARED) __syncthreads();
    const Plane plane = {image + index * stride, width, height, pitch, index};
    const Output target = {{output + index * stride, width, height, pitch},
                           index % channels,
                           index / channels,
                           index * stride,
                           EPILOGUE_ARGUMENTS};
    filter_tiles(plane, target, taps, shared, loader);
  }
}
