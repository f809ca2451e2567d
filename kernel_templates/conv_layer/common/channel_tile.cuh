// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Tiles of an image in shared memory, for layers each of whose groups has one channel of the image
// (depthwise; layout=nhwc, two dimensions), and the blocks that go through them. A block has
// UNIT_COUNT units of UNIT_OUTPUTS neighbouring channels of the output. A tile has, for each of
// them, the channels that they are made of, with MULTIPLIER of them from each.

#include "async_copy.cuh"
#include "boundary.cuh"
#include "output.cuh"

extern __shared__ __align__(16) unsigned char shared[];

// Images, and the outputs that a block computes of them.
struct Layer {
  const Element* image;
  int channels_in;
  int channels_out;
  int width;
  int height;
  int padding_x;
  int padding_y;
};

// An output with which a tile of outputs begins.
struct TileOfOutputs {
  int batch;
  int row;
  int column;
};

// TILE_ROWS × TILE_COLUMNS pixels: row after row, unit after unit, then pixel after pixel of
// TILE_PITCH, so that threads read neighbouring pixels of a unit from different banks, and write a
// pixel's units to others if TILE_PITCH % 8 is 8 / UNIT_COUNT.
template <int UNIT_OUTPUTS, int MULTIPLIER, int UNIT_COUNT, int TILE_ROWS, int TILE_COLUMNS,
          int TILE_PITCH>
struct ChannelTile {
  static constexpr int kRun =
      UNIT_OUTPUTS < MULTIPLIER ? 1 : UNIT_OUTPUTS / MULTIPLIER;  // a unit's channels
  static constexpr int kRow =
      UNIT_COUNT * TILE_PITCH * kRun;  // elements from a row to the next one
  static constexpr int kElements = TILE_ROWS * kRow;
  using Pixel = Run<kRun, Element>;
  static_assert(UNIT_OUTPUTS % MULTIPLIER == 0 || MULTIPLIER % UNIT_OUTPUTS == 0,
                "units have whole channels");

  static __device__ __forceinline__ int place(int row, int unit, int column) {
    return row * kRow + (unit * TILE_PITCH + column) * kRun;
  }

  // All threads begin to copy the tile of the outputs from `first` on, of the channels from
  // `first_channel` on. It is there after the wait for asynchronous copies.
  template <int THREADS, int STRIDE_X, int STRIDE_Y>
  static __device__ __forceinline__ void start(Element* tile, const Layer& layer,
                                               const TileOfOutputs& first, int first_channel) {
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < TILE_ROWS * TILE_COLUMNS * UNIT_COUNT;
         i += THREADS) {
      const int unit = i % UNIT_COUNT;
      const int column = i / UNIT_COUNT % TILE_COLUMNS;
      const int row = i / UNIT_COUNT / TILE_COLUMNS;
      const int y = source_index(first.row * STRIDE_Y - layer.padding_y + row, layer.height);
      const int x = source_index(first.column * STRIDE_X - layer.padding_x + column, layer.width);
      const int channel = first_channel + unit * UNIT_OUTPUTS;
      const bool exists = channel < layer.channels_out && !(kGhostsAreZero && (y < 0 || x < 0));
      const int pixel = exists ? (first.batch * layer.height + y) * layer.width + x : 0;
      const int source = exists ? channel / MULTIPLIER : 0;
      start_copy_or_zeros<kRun>(tile + place(row, unit, column),
                                layer.image + (pixel * layer.channels_in + source), exists);
    }
  }
};

// The tiles of TILE_ROWS × TILE_COLUMNS outputs that this block computes: of those of all images
// every gridDim.x-th. `start(buffer, first)` begins to copy one, `compute(buffer, first)` computes
// it; with BUFFERS = 2 the next one is copied meanwhile, to the other buffer.
template <int BUFFERS, int TILE_ROWS, int TILE_COLUMNS, class START, class COMPUTE>
__device__ __forceinline__ void for_each_tile(int batch, int width_out, int height_out,
                                              START&& start, COMPUTE&& compute) {
  const int across = (width_out + TILE_COLUMNS - 1) / TILE_COLUMNS;
  const int down = (height_out + TILE_ROWS - 1) / TILE_ROWS;
  const auto outputs_of = [&](int tile) -> TileOfOutputs {
    const int row = tile / across;
    const int number = row / down;
    return {number, (row - number * down) * TILE_ROWS, (tile - row * across) * TILE_COLUMNS};
  };
  const int count = across * down * batch;
  const int step = static_cast<int>(gridDim.x);
  const auto start_if_any = [&](int tile, int buffer) {
    if (tile < count) start(buffer, outputs_of(tile));
    end_copy_group();
  };
  int buffer = 0;
  start_if_any(static_cast<int>(blockIdx.x), 0);
#pragma unroll 1
  for (int tile = static_cast<int>(blockIdx.x); tile < count; tile += step) {
    if (BUFFERS == 2) start_if_any(tile + step, 1 - buffer);
    wait_for_copies_but<BUFFERS - 1>();
    __syncthreads();
    compute(buffer, outputs_of(tile));
    __syncthreads();  // before the next copy takes this tile's place
    if (BUFFERS == 2)
      buffer = 1 - buffer;
    else
      start_if_any(tile + step, 0);
  }
}

// Writes N sums of neighbouring channels of an output, to which the number of channels is a
// multiple: one access, or two.
template <int N>
__device__ __forceinline__ void write_channels(const Output& output, Place place,
                                               const Run<N, Sum>& sums) {
  const int first = output.index_of(place);
  Run<N, Real> results;
#pragma unroll
  for (int i = 0; i < N; ++i, ++place.channel)
    results.value[i] = output.result(place, first + i, to<Real>(sums.value[i]));
  *reinterpret_cast<Run<N, ElementOut>*>(output.elements + first) = run_to<ElementOut>(results);
}
