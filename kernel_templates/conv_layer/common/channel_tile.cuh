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

// THREADS threads call `act(row, unit, column)` for all of ROW_COUNT × COLUMN_COUNT pixels and
// UNIT_COUNT units, neighbours those of a pixel, then of the next one.
template <int THREADS, int ROW_COUNT, int COLUMN_COUNT, int UNIT_COUNT, class ACT>
__device__ __forceinline__ void for_each_unit(ACT&& act) {
  constexpr int kAcross = COLUMN_COUNT * UNIT_COUNT;
  constexpr int kLanes = kAcross > 16 ? 32 : 16;  // of a row
  constexpr int kRowsAtOnce = THREADS / kLanes;
  static_assert(kLanes % UNIT_COUNT == 0 && kRowsAtOnce > 0, "a thread has one unit");
  constexpr int kColumnsAtOnce = kLanes / UNIT_COUNT;
  constexpr int kSteps = (COLUMN_COUNT + kColumnsAtOnce - 1) / kColumnsAtOnce;
  constexpr int kUnrolledSteps = kSteps <= 16 ? kSteps : 8;
  const int first_row = static_cast<int>(threadIdx.x) / kLanes;
  const int first_column = static_cast<int>(threadIdx.x) % kLanes / UNIT_COUNT;
  const int unit = static_cast<int>(threadIdx.x) % UNIT_COUNT;
  if (THREADS % kLanes != 0 && first_row >= kRowsAtOnce) return;
#pragma unroll 1
  for (int row = first_row; row < ROW_COUNT; row += kRowsAtOnce)
#pragma unroll kUnrolledSteps
    for (int i = 0; i < COLUMN_COUNT; i += kColumnsAtOnce)
      if (i + kColumnsAtOnce <= COLUMN_COUNT || first_column + i < COLUMN_COUNT)
        act(row, unit, first_column + i);
}

// Where units of RUN neighbouring elements lie in shared memory: row after row, unit after unit,
// then pixel after pixel of UNIT_PITCH, so that threads meet neighbouring pixels of a unit in
// different banks, and those of for_each_unit() all units of a pixel, too, if UNIT_PITCH % 8 is 8 /
// UNIT_COUNT.
template <int RUN, int UNIT_COUNT, int UNIT_PITCH>
struct UnitOrder {
  static constexpr int kRow = UNIT_COUNT * UNIT_PITCH * RUN;  // elements from a row to the next one
  static __device__ __forceinline__ int place(int row, int unit, int column) {
    return row * kRow + (unit * UNIT_PITCH + column) * RUN;
  }
};

// Tiles of TILE_ROWS × TILE_COLUMNS pixels.
template <int UNIT_OUTPUTS, int MULTIPLIER, int UNIT_COUNT, int TILE_ROWS, int TILE_COLUMNS,
          int UNIT_PITCH>
struct ChannelTile {
  // Channels of a unit.
  static constexpr int kRun = UNIT_OUTPUTS < MULTIPLIER ? 1 : UNIT_OUTPUTS / MULTIPLIER;
  static_assert(UNIT_OUTPUTS % MULTIPLIER == 0 || MULTIPLIER % UNIT_OUTPUTS == 0,
                "units have whole channels");
  using Order = UnitOrder<kRun, UNIT_COUNT, UNIT_PITCH>;
  using Pixel = Run<kRun, Element>;
  static constexpr int kElements = TILE_ROWS * Order::kRow;

  // All threads begin to copy the tile of the outputs from `first` on, of the channels from
  // `first_channel` on. It is there after the wait for asynchronous copies.
  template <int THREADS, int STRIDE_X, int STRIDE_Y>
  static __device__ __forceinline__ void start(Element* tile, const Layer& layer,
                                               const TileOfOutputs& first, int first_channel) {
    const int first_y = first.row * STRIDE_Y - layer.padding_y;
    const int first_x = first.column * STRIDE_X - layer.padding_x;
    for_each_unit<THREADS, TILE_ROWS, TILE_COLUMNS, UNIT_COUNT>([&](int row, int unit, int column) {
      const int channel = first_channel + unit * UNIT_OUTPUTS;
      const Sample y = sample_at(first_y + row, layer.height);
      const Sample x = sample_at(first_x + column, layer.width);
      const bool exists = channel < layer.channels_out && y.exists && x.exists;
      // Without signs, because what does not exist may lie far away.
      const unsigned line =
          static_cast<unsigned>(first.batch * layer.height) + static_cast<unsigned>(y.index);
      const unsigned pixel =
          line * static_cast<unsigned>(layer.width) + static_cast<unsigned>(x.index);
      const unsigned offset = pixel * static_cast<unsigned>(layer.channels_in) +
                              static_cast<unsigned>(channel / MULTIPLIER);
      start_copy_or_zeros<kRun>(tile + Order::place(row, unit, column),
                                layer.image + (exists ? offset : 0U), exists);
    });
  }

 private:
  // Where the sample that stands at an index of a row or column lies.
  struct Sample {
    int index;
    bool exists;  // else it is zero
  };
  static __device__ __forceinline__ Sample sample_at(int index, int length) {
    if constexpr (kGhostsAreZero)
      return {index, static_cast<unsigned>(index) < static_cast<unsigned>(length)};
    else
      return {source_index(index, length), true};
  }
};

// The tiles of TILE_ROWS × TILE_COLUMNS outputs that this block computes: of those of all images
// every gridDim.x-th. `start(buffer, first)` begins to copy one, `compute(buffer, first)` computes
// it; with BUFFERS = 2 the next one is copied meanwhile, to the other buffer. `prepare()` runs
// once, while the first one is copied.
template <int BUFFERS, int TILE_ROWS, int TILE_COLUMNS, class START, class PREPARE, class COMPUTE>
__device__ __forceinline__ void for_each_tile(int batch, int width_out, int height_out,
                                              START&& start, PREPARE&& prepare, COMPUTE&& compute) {
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
  prepare();
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

__device__ __forceinline__ bool is_output(const Output& output, const Place& place) {
  return place.row < output.height && place.column < output.width &&
         place.channel < output.channels;
}

// What becomes of N sums of neighbouring channels of an output.
template <int N>
__device__ __forceinline__ Run<N, ElementOut> results_of(const Output& output, Place place,
                                                         const Run<N, Sum>& sums) {
  const int first = output.index_of(place);
  Run<N, Real> results;
#pragma unroll
  for (int i = 0; i < N; ++i, ++place.channel)
    results.value[i] = output.result(place, first + i, to<Real>(sums.value[i]));
  return run_to<ElementOut>(results);
}

// Writes them: one access, or two. The number of channels is a multiple of them.
template <int N>
__device__ __forceinline__ void write_run(const Output& output, const Place& place,
                                          const Run<N, ElementOut>& results) {
  *reinterpret_cast<Run<N, ElementOut>*>(output.elements + output.index_of(place)) = results;
}
