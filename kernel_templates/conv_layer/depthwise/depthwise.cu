// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// output = epilogue(alpha · (sum over taps of filter · image) + beta · output) for layers each of
// whose groups has one channel of the image (depthwise, with any number of filters for each
// channel), on plain cores: images of two dimensions with their channels side by side, any sizes,
// strides, dilations, padding and boundary. A block copies a tile of the image with its margins to
// shared memory once. A thread has VECTOR neighbouring channels of some outputs. It reads each row
// of its part of the tile once, for all rows of taps that meet it. Blocks stay for several tiles
// and keep their taps.
//
// VECTOR                   channels of an access and of a      1, 2, 4, 8, to which the output's
//                          thread                              channels are a multiple; a multiple
//                                                              or a divisor of the filters for a
//                                                              channel
// UNITS                    accesses side by side: a block has  1, 2, 4, 8, 16
//                          UNITS · VECTOR channels
// OUTPUTS_X, OUTPUTS_Y     outputs of a thread in a row, rows  1 …
// THREADS_X, THREADS_Y     threads of a block along a row, and 1 …
//                          rows of them, for each unit
// STAGES                   2: the next tile is copied while    1, 2
//                          one is computed
// MIN_BLOCKS               blocks that must fit on an SM       1 …
// PROBLEM_FILTER_…, PROBLEM_STRIDE_…, PROBLEM_DILATION_…   are compiled in
// PROBLEM_BOUNDARY, PROBLEM_ACCUMULATE   the problem's choices; its layout is nhwc
// TYPE, TYPE_OUT, PROBLEM_PRECISION   types.cuh
//
// Shared memory, bytes: UNITS · VECTOR sums for each tap, and STAGES tiles: rows_in · UNITS · pitch
// (terms of the manifest) runs of VECTOR elements. Registers: OUTPUTS_X · OUTPUTS_Y · VECTOR sums,
// a row of the image for them, and about 40. Grid: x = tiles, at most as many as are resident; y =
// blocks of channels.
//
// A warp's accesses have whole sectors of memory if a pixel's channels of a block have 32 bytes.
// Products are summed in the type of sums. Packed products of two halves (HFMA2) would be twice as
// fast, but sums of one row of taps in float16 are wrong by up to 300 times what the operation
// allows, in 14 % of the outputs with 3 × 3 taps and in 24 % with 7 × 7.
// After: Chetlur et al., cuDNN: Efficient primitives for deep learning, 2014 (tiles in shared
// memory); Volkov, Better performance at lower occupancy, 2010 (several outputs of a thread).

#include "channel_tile.cuh"

constexpr int kThreads = UNITS * THREADS_X * THREADS_Y;
constexpr int kTaps = PROBLEM_FILTER_WIDTH * PROBLEM_FILTER_HEIGHT;
constexpr int kChannels = UNITS * VECTOR;
constexpr int kWindow =
    (OUTPUTS_X - 1) * PROBLEM_STRIDE_X + (PROBLEM_FILTER_WIDTH - 1) * PROBLEM_DILATION_X + 1;
constexpr int kWindows =
    (OUTPUTS_Y - 1) * PROBLEM_STRIDE_Y + (PROBLEM_FILTER_HEIGHT - 1) * PROBLEM_DILATION_Y + 1;
using Tile = ChannelTile<VECTOR, TERM_MULTIPLIER, UNITS, TERM_ROWS_IN, TERM_COLUMNS_IN, TERM_PITCH>;

using Sums = Sum[OUTPUTS_Y][OUTPUTS_X][VECTOR];

// Loops over the rows of the image are unrolled as long as the code stays small.
constexpr int kUnrolled = kTaps * OUTPUTS_X * OUTPUTS_Y * VECTOR <= 2500 ? kWindows : 1;

// The taps of the block's channels, from `first_channel` on: one tap after the other.
__device__ __forceinline__ void load_taps(Sum* taps, const Element* filter, int first_channel,
                                          int channels_out) {
  for (int i = static_cast<int>(threadIdx.x); i < kChannels * kTaps; i += kThreads) {
    const int channel = first_channel + i / kTaps;
    taps[i % kTaps * kChannels + i / kTaps] =
        channel < channels_out ? to<Sum>(filter[channel * kTaps + i % kTaps]) : Sum{};
  }
}

// Adds what the thread's row `row` of the image, whose pixels begin at `pixels`, gives to its
// outputs.
__device__ __forceinline__ void add_row(Sums& sums, const Element* pixels, const Sum* taps,
                                        int row) {
  Run<Tile::kRun, Sum> window[kWindow];
#pragma unroll
  for (int i = 0; i < kWindow; ++i)
    window[i] =
        run_to<Sum>(*reinterpret_cast<const typename Tile::Pixel*>(pixels + i * Tile::kRun));
#pragma unroll
  for (int y = 0; y < OUTPUTS_Y; ++y) {
    const int down = row - y * PROBLEM_STRIDE_Y;
    const int tap_row = down / PROBLEM_DILATION_Y;
    if (down < 0 || down % PROBLEM_DILATION_Y != 0 || tap_row >= PROBLEM_FILTER_HEIGHT) continue;
#pragma unroll
    for (int tap = 0; tap < PROBLEM_FILTER_WIDTH; ++tap) {
      const auto run = *reinterpret_cast<const Run<VECTOR, Sum>*>(
          taps + (tap_row * PROBLEM_FILTER_WIDTH + tap) * kChannels);
#pragma unroll
      for (int x = 0; x < OUTPUTS_X; ++x)
#pragma unroll
        for (int v = 0; v < VECTOR; ++v)
          sums[y][x][v] += run.value[v] * window[x * PROBLEM_STRIDE_X + tap * PROBLEM_DILATION_X]
                                              .value[v * Tile::kRun / VECTOR];
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv_layer_depthwise(const Element* __restrict__ image, const Element* __restrict__ filter,
                         ElementOut* elements, Real alpha, Real beta, int batch, int channels_in,
                         int channels_out, int width, int height, int padding_x, int padding_y,
                         int width_out, int height_out EPILOGUE_PARAMETERS) {
  auto* const all_taps = reinterpret_cast<Sum*>(shared);
  auto* const buffers = reinterpret_cast<Element*>(shared + TERM_TAPS_BYTES);
  const int thread = static_cast<int>(threadIdx.x);
  const int unit = thread % UNITS;
  const int across = thread / UNITS % THREADS_X * OUTPUTS_X;
  const int down = thread / (UNITS * THREADS_X) * OUTPUTS_Y;
  const int first_channel = static_cast<int>(blockIdx.y) * kChannels;
  const int channel = first_channel + unit * VECTOR;
  const Layer layer = {image, channels_in, channels_out, width, height, padding_x, padding_y};
  const Output output = {elements, channels_out, width_out, height_out,
                         1,        alpha,        beta,      EPILOGUE_ARGUMENTS};

  const auto start = [&](int buffer, const TileOfOutputs& first) {
    Tile::start<kThreads, PROBLEM_STRIDE_X, PROBLEM_STRIDE_Y>(buffers + buffer * Tile::kElements,
                                                              layer, first, first_channel);
  };
  const auto prepare = [&] { load_taps(all_taps, filter, first_channel, channels_out); };
  const auto compute = [&](int buffer, const TileOfOutputs& first) {
    const Element* const pixels =
        buffers + (buffer * Tile::kElements +
                   Tile::Order::place(down * PROBLEM_STRIDE_Y, unit, across * PROBLEM_STRIDE_X));
    Sums sums = {};
#pragma unroll kUnrolled
    for (int row = 0; row < kWindows; ++row)
      add_row(sums, pixels + row * Tile::Order::kRow, all_taps + unit * VECTOR, row);
#pragma unroll
    for (int y = 0; y < OUTPUTS_Y; ++y) {
#pragma unroll
      for (int x = 0; x < OUTPUTS_X; ++x) {
        const Place place = {first.batch, 0, first.row + down + y, first.column + across + x,
                             channel};
        if (!is_output(output, place)) continue;
        Run<VECTOR, Sum> run;
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) run.value[v] = sums[y][x][v];
        write_run(output, place, results_of(output, place, run));
      }
    }
  };
  for_each_tile<STAGES, THREADS_Y * OUTPUTS_Y, THREADS_X * OUTPUTS_X>(batch, width_out, height_out,
                                                                      start, prepare, compute);
}
