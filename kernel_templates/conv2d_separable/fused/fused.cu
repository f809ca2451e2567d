// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Separable 2-D filters over planes of images as conv2d_separable/two_pass computes them, in one
// launch. A block loads a tile of the image with its halo, filters its rows into a second tile of
// shared memory, and the columns of that. With MARCH it then goes on to the tile below, which needs
// as many new rows as a tile has: filtered rows are kept in a ring. The next samples are loaded
// while columns are filtered.
//
// BLOCK_X, BLOCK_Y  threads                               64 … 512 in all
// OUTPUTS_X  adjacent outputs of a thread along a row     1, 2, 4
// OUTPUTS_Y  the same along a column                      1 … 16
// LOADING  cooperative: all threads copy the tile through registers, and keep it as sums
//          async: by copies that go on meanwhile (cp.async, sm_80 and later)
//          bulk: as a box that one thread asks for (sm_90 and later); at an image's edges with a
//          boundary other than zero by all threads; MARCH = 1, at most 256 columns and rows with
//          the halo
//          cache: no first tile; threads read the samples of a row through the cache
// VECTOR   elements of one access to global memory        1, 4; divides pitch; 4 with bulk
// MARCH    tiles of a block, one below the other
// FILTER   value: the taps are parameters by value and come as operands out of constant memory
//          shared: they are copied to shared memory
// STEP     taps whose code is written out, the others being a loop around it
// MIN_BLOCKS  blocks that must fit on an SM at once, at the price of registers
//
// Compiled in: as in two_pass.
// Shared memory, dynamic: kRows rows of samples, but with LOADING = cache; kRows rows of
// kTileColumns sums; the filters as sums if they are there.
// Registers: OUTPUTS_X · OUTPUTS_Y + OUTPUTS_X and about 32.
//
// Traffic of an output, where h = 1 + (filter_height − 1) / rows of a march is how often a row is
// filtered:
//   multiply-adds               h · filter_width + filter_height
//   accesses to shared memory   h · (filter_width + OUTPUTS_X − 1) / OUTPUTS_X + 2 · h (a sample
//                               and a sum written) + 1 + (filter_height − 1) / OUTPUTS_Y
//   elements of global memory   h · (1 + (filter_width − 1) / columns of a tile) read, 1 written
// An SM of an H200 takes 1/128 cycle for a multiply-add, 1/32 for an access to shared memory, and
// about 8/15 for an element read and one written (a copy). For 13 × 13 taps, 4 × 8 outputs and
// tiles of 64 rows that is 0.22, 0.30 and 0.53: memory is the limit, if other blocks load
// meanwhile. Above 17 taps shared memory is, unless OUTPUTS_Y and MARCH are larger.
//
// Grid: x = tiles across, y = marches down, z = planes, each block taking every 65535th.
//
// After: Podlozhnyuk, Image convolution with CUDA, NVIDIA 2007; Kirk and Hwu, Programming Massively
// Parallel Processors, chapter 7.

#include "outputs.cuh"
#include "sums.cuh"

#if LOADING == LOADING_BULK
#include "bulk_tile_loading.cuh"
#else
#include "tile_loading.cuh"
#endif

using Block = BlockOf<BLOCK_X, BLOCK_Y>;

constexpr int kTileColumns = BLOCK_X * OUTPUTS_X;
constexpr int kTileRows = BLOCK_Y * OUTPUTS_Y;
constexpr int kRows = kTileRows + PROBLEM_FILTER_HEIGHT - 1;
constexpr bool kCache = LOADING == LOADING_CACHE;

using Tile = RowLayout<Block, OUTPUTS_X, kRows, LOADING == LOADING_ASYNC, LOADING == LOADING_BULK>;
constexpr int kTileBytes =
    kCache ? 0 : round_up(kRows * Tile::kPitch * static_cast<int>(sizeof(Tile::Kept)), 16);

// Filtered rows: row n of a march lies in slot n % kRows.
constexpr int kFilteredBytes = kRows * kTileColumns * static_cast<int>(sizeof(Sum));

__device__ __forceinline__ int in_ring(int slot) {
  return MARCH > 1 && slot >= kRows ? slot - kRows : slot;
}

__device__ __forceinline__ int own_column() {
  return Block::x() * OUTPUTS_X;
}

// The thread's samples of a row, wherever they are.
template <bool INTERIOR>
struct Samples {
  const Tile::Kept* tile;
  const Plane& plane;
  int row, column;  // in the image, of the tile's first sample

  __device__ __forceinline__ auto at(int own) const {
    if constexpr (kCache)
      return CachedRow<OUTPUTS_X, INTERIOR>{plane, row + own, column + own_column()};
    else
      return SharedRow<OUTPUTS_X, Tile::Kept>{tile + Tile::place(own, own_column())};
  }
};

// COUNT rows of samples, to `slot` of the ring and those after it.
template <int COUNT, bool INTERIOR>
__device__ __forceinline__ void filter_rows(Sum* ring, int slot, const Samples<INTERIOR>& samples,
                                            const RowTaps& taps) {
#pragma unroll 1
  for (int own = Block::y(); own < COUNT; own += BLOCK_Y) {
    Sum sums[OUTPUTS_X] = {};
    add_row_products<Tile::kShift>(sums, samples.at(own), taps);
    Run<OUTPUTS_X, Sum> run;
#pragma unroll
    for (int v = 0; v < OUTPUTS_X; ++v) run.value[v] = sums[v];
    *reinterpret_cast<Run<OUTPUTS_X, Sum>*>(
        ring + (in_ring(slot + own) * kTileColumns + own_column())) = run;
  }
}

template <int COUNT>
__device__ __forceinline__ void filter_loaded_rows(Sum* ring, int slot, const Tile::Kept* tile,
                                                   const Plane& plane, int row, int column,
                                                   const RowTaps& taps) {
  if (!kCache || is_interior<Tile, COUNT>(plane, row, column))
    filter_rows<COUNT>(ring, slot, Samples<true>{tile, plane, row, column}, taps);
  else
    filter_rows<COUNT>(ring, slot, Samples<false>{tile, plane, row, column}, taps);
}

// The thread's columns of the ring, from the row on that its first output's tap 0 needs.
class FilteredRows {
 public:
  __device__ __forceinline__ FilteredRows(const Sum* ring, int slot) {
    const int first = in_ring(slot + Block::y() * OUTPUTS_Y);
    start_ = ring + (first * kTileColumns + own_column());
    until_wrap_ = kRows - first;
  }

  __device__ __forceinline__ Run<OUTPUTS_X, Sum> read(int row) const {
    const Sum* start = MARCH > 1 && row >= until_wrap_ ? start_ - kRows * kTileColumns : start_;
    return *reinterpret_cast<const Run<OUTPUTS_X, Sum>*>(start + row * kTileColumns);
  }

 private:
  const Sum* start_;
  int until_wrap_;  // rows from there to the end of the ring
};

template <class Loader>
__device__ __forceinline__ void filter_tiles(const Plane& plane, const Output& output,
                                             const RowTaps& row_taps, const ColumnTaps& column_taps,
                                             Tile::Kept* tile, Sum* ring, Loader& loader) {
  int row = static_cast<int>(blockIdx.y) * (kTileRows * MARCH);
  const int column = static_cast<int>(blockIdx.x) * kTileColumns;
  const int left = column - Tile::kLeft;
  int slot = 0;  // in the ring, of the first row that the present tile needs
  if (!kCache) loader.template start<kRows>(tile, 0, plane, row - PROBLEM_ANCHOR_Y, left);
  loader.finish();
  filter_loaded_rows<kRows>(ring, 0, tile, plane, row - PROBLEM_ANCHOR_Y, left, row_taps);
#pragma unroll 1
  for (int step = 1;; ++step) {
    __syncthreads();
    const bool goes_on = step < MARCH && row + kTileRows < plane.height;
    const int next = row + kRows - PROBLEM_ANCHOR_Y;
    if constexpr (MARCH > 1 && !kCache)
      if (goes_on) loader.template start<kTileRows>(tile, 0, plane, next, left);
    Sum sums[OUTPUTS_Y][OUTPUTS_X] = {};
    add_column_products(sums, FilteredRows(ring, slot), column_taps);
    write_outputs(output, plane, row + Block::y() * OUTPUTS_Y, column + own_column(), sums);
    if (!goes_on) return;
    loader.finish();
    filter_loaded_rows<kTileRows>(ring, slot, tile, plane, next, left, row_taps);
    row += kTileRows;
    slot = in_ring(slot + kTileRows);
  }
}

extern "C" __global__ void __launch_bounds__(Block::kThreads, MIN_BLOCKS)
    separable_fused(const Element* __restrict__ image,
#if LOADING == LOADING_BULK
                    const __grid_constant__ TensorMap map,
#endif
                    const __grid_constant__ RowFilter row_filter,
                    const __grid_constant__ ColumnFilter column_filter,
                    Element* __restrict__ output, int width, int height, int pitch, int channels,
                    int planes EPILOGUE_PARAMETERS) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* const tile = reinterpret_cast<Tile::Kept*>(shared);
  auto* const ring = reinterpret_cast<Sum*>(shared + kTileBytes);
  auto* const copy = reinterpret_cast<Sum*>(shared + kTileBytes + round_up(kFilteredBytes, 16));
#if LOADING == LOADING_BULK
  __shared__ BulkBarrier barrier;
  BulkLoader<Tile> loader(map, &barrier);
#else
  ThreadLoader<Tile> loader;
#endif
  const Planes all = {image, output, width, height, pitch, channels};
#pragma unroll 1
  for (int index = static_cast<int>(blockIdx.z); index < planes;
       index += static_cast<int>(gridDim.z)) {
    if (index >= static_cast<int>(gridDim.z)) __syncthreads();  // shared memory is used anew
    const int channel = index % channels;
    const RowTaps row_taps = take_taps<PROBLEM_FILTER_WIDTH, Block>(row_filter, channel, copy);
    const ColumnTaps column_taps =
        take_taps<PROBLEM_FILTER_HEIGHT, Block>(column_filter, channel, copy + kRowTapPlaces);
    filter_tiles(all.plane(index), all.target(index, EPILOGUE_ARGUMENTS), row_taps, column_taps,
                 tile, ring, loader);
  }
}
