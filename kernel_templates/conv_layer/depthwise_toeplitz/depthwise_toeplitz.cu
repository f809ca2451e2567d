// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// output = epilogue(alpha · (sum over taps of filter · image) + beta · output) for depthwise layers
// (as many groups and filters as channels) on tensor cores (mma.sync, sm_80 and later): images of
// two dimensions with their channels side by side, any sizes, padding and boundary. A block copies
// a tile of the image with its margins to shared memory once. A warp has eight neighbouring
// channels of some rows of outputs; it reads each row of its part of the tile once, for all rows of
// taps that meet it. Nothing is transposed: a product's ks are positions of a pair of channels, as
// they lie in memory (products.cuh). Blocks stay for several tiles and keep their taps.
//
// UNITS               units of eight channels of a block       1, 2, 4, 8
// STRIPS              strips of four outputs side by side; a   1, 2, 4, 8, 16; a multiple of
//                     product has 16 / STRIPS rows of them     PROBLEM_DILATION_X
// ACROSS              products of a warp side by side, which   1 …
//                     share taps
// ROWS                rows of outputs of a strip               1 …
// WARPS               warps of a block below each other, for   1 …
//                     each unit
// FILTERS             where taps are: read from shared memory  shared, registers
//                     for each product, or kept in registers
// STAGES              2: the next tile is copied while one is  1, 2
//                     computed
// MIN_BLOCKS          blocks that must fit on an SM            1 …
// PROBLEM_FILTER_…, PROBLEM_STRIDE_…, PROBLEM_DILATION_…   are compiled in; along a row, either the
//                     stride or the dilation is 1
// PROBLEM_BOUNDARY, PROBLEM_ACCUMULATE   the problem's choices; its layout is nhwc
// TYPE, TYPE_OUT      types.cuh; image and filter are float16 or bfloat16, sums float32
//
// Of a product's numbers, a share of taps / (8 · groups) is not multiplied by zero,
// groups_of_positions (a term of the manifest) being a quarter of the positions that four outputs
// meet: 5 of 8 with 5 taps. Shared memory, bytes: UNITS · filter_height · table_width · 16, and
// STAGES tiles of rows_in · UNITS · pitch · 16 (terms). Registers: 16 · ROWS · ACROSS sums, 16 ·
// ACROSS words of pixels, with FILTERS=registers 4 · filter_height · groups taps, else 8, and
// about 40. Grid: x = tiles, at most as many as are resident; y = blocks of channels. After:
// NVIDIA, PTX ISA, matrix fragments for mma; Chellapilla, Puri and Simard, High performance
// convolutional neural networks for document processing, 2006 (convolution as a product).

#include "products.cuh"

constexpr int kThreads = 32 * UNITS * WARPS;
constexpr int kWarpRows = ROWS * kStripRows;

// The outputs of a warp, from `first` on.
__device__ __forceinline__ void write_sums(const Output& output, const TileOfOutputs& first,
                                           int channel, const WarpSums& sums) {
  const int lane = lane_of_warp();
#pragma unroll
  for (int across = 0; across < ACROSS; ++across)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int strip = lane / 4 + 8 * half;
      const int column = first.column + across * kBand + column_of(strip % STRIPS, lane % 4);
#pragma unroll
      for (int y = 0; y < ROWS; ++y) {
        const int row = first.row + strip / STRIPS * ROWS + y;
        if (column >= output.width || row >= output.height || channel >= output.channels) continue;
        Run<kUnit, Sum> run;
#pragma unroll
        for (int i = 0; i < kUnit; ++i) run.value[i] = sums[across][y][i / 2][2 * half + i % 2];
        write_channels(output, {first.batch, 0, row, column, channel}, run);
      }
    }
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv_layer_depthwise_toeplitz(const Element* __restrict__ image,
                                  const Element* __restrict__ filter, ElementOut* elements,
                                  Real alpha, Real beta, int batch, int channels, int width,
                                  int height, int padding_x, int padding_y, int width_out,
                                  int height_out EPILOGUE_PARAMETERS) {
  auto* const table = reinterpret_cast<Element*>(shared);
  auto* const buffers = reinterpret_cast<Element*>(shared + TERM_TABLE_BYTES);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int unit = warp % UNITS;
  const int down = warp / UNITS * kWarpRows;
  const int first_channel = static_cast<int>(blockIdx.y) * (UNITS * kUnit);
  const Layer layer = {image, channels, channels, width, height, padding_x, padding_y};
  const Output output = {elements, channels, width_out, height_out,
                         1,        alpha,    beta,      EPILOGUE_ARGUMENTS};
  write_table<kThreads>(table, filter, first_channel, channels);
  __syncthreads();
  const Taps taps(table + unit * (kTapRows * kTableWidth * kUnit));

  const unsigned all_bits = ~static_cast<unsigned>(batch >> 31);

  const auto start = [&](int buffer, const TileOfOutputs& first) {
    Tile::start<kThreads, PROBLEM_STRIDE_X, PROBLEM_STRIDE_Y>(buffers + buffer * Tile::kElements,
                                                              layer, first, first_channel);
  };
  const auto compute = [&](int buffer, const TileOfOutputs& first) {
    WarpSums sums = {};
    add_products(
        sums, buffers + (buffer * Tile::kElements + Tile::place(down * PROBLEM_STRIDE_Y, unit, 0)),
        all_bits, taps);
    write_sums(output, {first.batch, first.row + down, first.column}, first_channel + unit * kUnit,
               sums);
  };
  for_each_tile<STAGES, WARPS * kWarpRows, ACROSS * kBand>(batch, width_out, height_out, start,
                                                           compute);
}
