// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Separable 2-D filters over planes of images, 1 to 129 taps along each axis, odd or even, any
// anchor, images smaller than the filters included, in two launches: filtered rows go to a
// workspace as sums, whose columns the second launch filters:
//   output[y][x] = sum over j of column[j] · filtered[y + j − anchor_y][x]
//   filtered[y][x] = sum over i of row[i] · image[y][x + i − anchor_x]
// (taps in reverse order with flip = yes; ghost samples as boundary says). Both launches load a
// tile and its halo along the filter's axis to shared memory.
//
// ROWS_BLOCK_X, ROWS_BLOCK_Y        threads of the first launch, 64 … 512 in all; a thread has four
//                                   outputs side by side in each of
// ROWS_DOWN                         rows, ROWS_BLOCK_Y apart, one after the other
// COLUMNS_BLOCK_X, COLUMNS_BLOCK_Y  threads of the second one, 64 … 512 in all; a thread has four
//                                   columns of
// COLUMNS_OUTPUTS                   adjacent outputs, all in registers
// LOADING  of the image: cooperative: by all threads through registers; async: by copies that go on
//          meanwhile (cp.async, sm_80 and later). The workspace is always read by such copies.
// VECTOR   elements of one access to the image            1, 4; divides pitch
// FILTER   value: the taps are parameters by value and come as operands out of constant memory
//          shared: they are copied to shared memory
// STEP     taps whose code is written out, the others being a loop around it
// EARLY    1: the second launch begins while the first one ends (sm_90 and later)
//
// Compiled in: both filters' lengths and anchors, boundary, flip, filters, type (filter_types.cuh);
// with FILTER = value and filters = per_channel also channels.
// Shared memory, dynamic: rows: a tile with its halo; columns: COLUMNS_BLOCK_Y · COLUMNS_OUTPUTS +
// filter_height − 1 rows of sums; the filter as sums if it is there.
// Registers: rows: 4 + STEP + 3 and about 24; columns: 4 · COLUMNS_OUTPUTS + 4 and about 24, with
// FILTER = shared STEP more.
// Traffic: the image read, the workspace written and read, the output written, so twice that of one
// launch in float32, three times in 16 bits. For an output the first launch reads (filter_width +
// 3) / 4 samples from shared memory, the second 1 + (filter_height − 1) / COLUMNS_OUTPUTS sums, and
// nothing is filtered twice. An SM reads 32 in the time of 128 multiply-adds, so for long filters
// multiply-adds are the limit.
// Grid: x = tiles across, y = tiles down, z = planes, each block taking every 65535th.
// After: Podlozhnyuk, Image convolution with CUDA, NVIDIA 2007 (separable filters in two launches).

#include "async_copy.cuh"
#include "dependent_launch.cuh"
#include "outputs.cuh"
#include "sums.cuh"
#include "tile_loading.cuh"

constexpr int kAcross = 4;

using RowsBlock = BlockOf<ROWS_BLOCK_X, ROWS_BLOCK_Y>;
using RowsTile =
    RowLayout<RowsBlock, kAcross, ROWS_BLOCK_Y * ROWS_DOWN, LOADING == LOADING_ASYNC, false>;

using ColumnsBlock = BlockOf<COLUMNS_BLOCK_X, COLUMNS_BLOCK_Y>;
constexpr int kTileColumns = COLUMNS_BLOCK_X * kAcross;
constexpr int kTileRows = COLUMNS_BLOCK_Y * COLUMNS_OUTPUTS;
constexpr int kRows = kTileRows + PROBLEM_FILTER_HEIGHT - 1;

// The workspace: all planes' filtered rows, whose beginnings are aligned for runs of four.
template <class T>
struct Filtered {
  T* sums;  // of one plane
  int pitch;
};

template <class T>
__device__ __forceinline__ Filtered<T> filtered(T* workspace, const Plane& plane) {
  const int pitch = round_up(plane.width, kAcross);
  return {workspace + static_cast<long long>(plane.index) * plane.height * pitch, pitch};
}

__device__ __forceinline__ Sum* behind(void* shared, int bytes) {
  return reinterpret_cast<Sum*>(static_cast<char*>(shared) + round_up(bytes, 16));
}

__device__ __forceinline__ void filter_rows(const Filtered<Sum>& target, const Plane& plane,
                                            int row, int column, const RowsTile::Kept* tile,
                                            const RowTaps& taps) {
  const int x = column + RowsBlock::x() * kAcross;
#pragma unroll 1
  for (int trip = 0; trip < ROWS_DOWN; ++trip) {
    const int own = RowsBlock::y() + trip * ROWS_BLOCK_Y;
    Sum sums[kAcross] = {};
    const SharedRow<kAcross, RowsTile::Kept> samples = {
        tile + RowsTile::place(own, RowsBlock::x() * kAcross)};
    add_row_products<RowsTile::kShift>(sums, samples, taps);
    if (row + own >= plane.height || x >= target.pitch) continue;
    Run<kAcross, Sum> run;
#pragma unroll
    for (int v = 0; v < kAcross; ++v) run.value[v] = sums[v];
    *reinterpret_cast<Run<kAcross, Sum>*>(target.sums + ((row + own) * target.pitch + x)) = run;
  }
}

extern "C" __global__ void __launch_bounds__(RowsBlock::kThreads)
    separable_rows(const Element* __restrict__ image, const __grid_constant__ RowFilter filter,
                   Sum* __restrict__ workspace, int width, int height, int pitch, int channels,
                   int planes) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* const tile = reinterpret_cast<RowsTile::Kept*>(shared);
  constexpr int kBytes = RowsTile::kRows * RowsTile::kPitch * sizeof(RowsTile::Kept);
  const int row = static_cast<int>(blockIdx.y) * RowsTile::kRows;
  const int column = static_cast<int>(blockIdx.x) * RowsTile::kTileColumns;
  const Planes all = {image, nullptr, width, height, pitch, channels};
  const ThreadLoader<RowsTile> loader;
#pragma unroll 1
  for (int index = static_cast<int>(blockIdx.z); index < planes;
       index += static_cast<int>(gridDim.z)) {
    if (index >= static_cast<int>(gridDim.z)) __syncthreads();  // shared memory is used anew
    const RowTaps taps = take_taps<PROBLEM_FILTER_WIDTH, RowsBlock>(filter, index % channels,
                                                                    behind(shared, kBytes));
    const Plane plane = all.plane(index);
    loader.start<RowsTile::kRows>(tile, 0, plane, row, column - RowsTile::kLeft);
    loader.finish();
    filter_rows(filtered(workspace, plane), plane, row, column, tile, taps);
  }
}

// Rows of the workspace from `row` on, which may be ghosts.
__device__ __forceinline__ void load_filtered(Sum* tile, const Filtered<const Sum>& source,
                                              const Plane& plane, int row, int column) {
  constexpr int kRuns = COLUMNS_BLOCK_X;
#pragma unroll 4
  for (int own = ColumnsBlock::y(); own < kRows; own += COLUMNS_BLOCK_Y) {
    const int from = source_index(row + own, plane.height);
    const int x = column + ColumnsBlock::x() * kAcross;
    const bool exists = from >= 0 && x < source.pitch;
    start_copy_or_zeros<kAcross>(tile + (own * kRuns + ColumnsBlock::x()) * kAcross,
                                 source.sums + (exists ? from * source.pitch + x : 0), exists);
  }
  wait_for_copies();
}

struct FilteredRows {
  const Sum* start;  // the thread's first column, its first output's first row

  __device__ __forceinline__ Run<kAcross, Sum> read(int row) const {
    return *reinterpret_cast<const Run<kAcross, Sum>*>(start + row * kTileColumns);
  }
};

extern "C" __global__ void __launch_bounds__(ColumnsBlock::kThreads)
    separable_columns(const Sum* workspace, const __grid_constant__ ColumnFilter filter,
                      Element* __restrict__ output, int width, int height, int pitch, int channels,
                      int planes EPILOGUE_PARAMETERS) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* const tile = reinterpret_cast<Sum*>(shared);
  constexpr int kBytes = kRows * kTileColumns * sizeof(Sum);
  const int row = static_cast<int>(blockIdx.y) * kTileRows;
  const int column = static_cast<int>(blockIdx.x) * kTileColumns;
  const Planes all = {output, output, width, height, pitch, channels};
  if (EARLY) wait_for_launch_ahead();
#pragma unroll 1
  for (int index = static_cast<int>(blockIdx.z); index < planes;
       index += static_cast<int>(gridDim.z)) {
    if (index >= static_cast<int>(gridDim.z)) __syncthreads();  // shared memory is used anew
    const ColumnTaps taps = take_taps<PROBLEM_FILTER_HEIGHT, ColumnsBlock>(filter, index % channels,
                                                                           behind(shared, kBytes));
    const Plane plane = all.plane(index);
    load_filtered(tile, filtered(workspace, plane), plane, row - PROBLEM_ANCHOR_Y, column);
    __syncthreads();
    Sum sums[COLUMNS_OUTPUTS][kAcross] = {};
    const int own_row = ColumnsBlock::y() * COLUMNS_OUTPUTS;
    const int own_column = ColumnsBlock::x() * kAcross;
    const FilteredRows rows = {tile + own_row * kTileColumns + own_column};
    add_column_products(sums, rows, taps);
    write_outputs(all.target(index, EPILOGUE_ARGUMENTS), plane, row + own_row, column + own_column,
                  sums);
  }
}
