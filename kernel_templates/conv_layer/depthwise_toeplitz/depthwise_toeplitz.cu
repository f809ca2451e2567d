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
// STRIPS              strips of four outputs side by side; a   2, 4, 8, 16; a multiple of
//                     product has 16 / STRIPS rows of them     PROBLEM_DILATION_X
// ACROSS              products of a warp side by side, which   1 …
//                     share taps
// ROWS                rows of outputs of a strip               1 …
// WARPS               warps of a block below each other, for   1 …
//                     each unit
// FILTERS             where taps are: read from shared memory  shared, registers
//                     for each product, or kept in registers
// TOGETHER            rows of the image that are multiplied    1, 2; 1 with FILTERS=registers or
//                     together and share reads of taps         strides or dilations along columns
// STORE               how results go to memory: from each      direct, staged (type_out of 16 bits)
//                     warp, or through shared memory
// STAGES              2: the next tile is copied while one is  1, 2
//                     computed
// DEPENDENT           the launch may begin before the one      no, yes
//                     ahead ends
// MIN_BLOCKS          blocks that must fit on an SM            1 …
// PROBLEM_FILTER_…, PROBLEM_STRIDE_…, PROBLEM_DILATION_…   are compiled in; along a row, either the
//                     stride or the dilation is 1
// PROBLEM_BOUNDARY, PROBLEM_ACCUMULATE   the problem's choices; its layout is nhwc
// TYPE, TYPE_OUT      types.cuh; image and filter are float16 or bfloat16, sums float32
//
// Four outputs meet groups_of_positions (a term of the manifest) times four positions of a row. Of
// a product's numbers, a share of taps / (8 · groups_of_positions) is not multiplied by zero: 5 of
// 16 with 5 taps. The zeros spread an infinity to neighbours.
// Shared memory, bytes: UNITS · filter_height · table_width · 16, and STAGES tiles of rows_in ·
// UNITS · pitch · 16 (terms); with STORE=staged also rows_out · UNITS · stage_pitch · 16.
// Registers: 16 · ROWS · ACROSS sums, 16 · ACROSS · TOGETHER words of pixels, with
// FILTERS=registers 4 · filter_height · groups_of_positions taps, else 8, and about 40. Grid: x =
// tiles, at most as many as are resident; y = blocks of channels. After: NVIDIA, PTX ISA, matrix
// fragments for mma; Chellapilla, Puri and Simard, High performance convolutional neural networks
// for document processing, 2006 (convolution as a product).

#include "dependent_launch.cuh"
#include "products.cuh"

constexpr int kThreads = 32 * UNITS * WARPS;
constexpr int kWarpRows = ROWS * kStripRows;
constexpr int kTileRows = WARPS * kWarpRows;  // of outputs
constexpr int kTileColumns = ACROSS * kBand;

// The results of a tile on their way to memory: with STORE=staged they lie here first, so that
// threads write all channels of a pixel that the block has side by side.
using Stage = UnitOrder<kUnit, UNITS, TERM_STAGE_PITCH>;
using Results = Run<kUnit, ElementOut>;

// Where this warp's outputs are: in the block's tile, and the first of its channels.
struct WarpPlace {
  int row;
  int unit;
  int channel;
};

// The warp's results of a tile of outputs that begins at `first`, to memory or to the stage.
__device__ __forceinline__ void write_sums(const Output& output, ElementOut* stage,
                                           const TileOfOutputs& first, const WarpPlace& warp,
                                           const WarpSums& sums) {
  const int lane = lane_of_warp();
#pragma unroll
  for (int across = 0; across < ACROSS; ++across)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int strip = lane / 4 + 8 * half;
      const int column = across * kBand + column_of(strip % STRIPS, lane % 4);
#pragma unroll
      for (int y = 0; y < ROWS; ++y) {
        const int row = warp.row + strip / STRIPS * ROWS + y;
        const Place place = {first.batch, 0, first.row + row, first.column + column, warp.channel};
        if (!is_output(output, place)) continue;
        Run<kUnit, Sum> run;
#pragma unroll
        for (int i = 0; i < kUnit; ++i) run.value[i] = sums[across][y][i / 2][2 * half + i % 2];
        const Results results = results_of(output, place, run);
        if constexpr (STORE == STORE_STAGED)
          *reinterpret_cast<Results*>(stage + Stage::place(row, warp.unit, column)) = results;
        else
          write_run(output, place, results);
      }
    }
}

// All threads write what is in the stage.
__device__ __forceinline__ void write_stage(const Output& output, const ElementOut* stage,
                                            const TileOfOutputs& first, int first_channel) {
  for_each_unit<kThreads, kTileRows, kTileColumns, UNITS>([&](int row, int unit, int column) {
    const Place place = {first.batch, 0, first.row + row, first.column + column,
                         first_channel + unit * kUnit};
    if (is_output(output, place))
      write_run(output, place,
                *reinterpret_cast<const Results*>(stage + Stage::place(row, unit, column)));
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv_layer_depthwise_toeplitz(const Element* __restrict__ image,
                                  const Element* __restrict__ filter, ElementOut* elements,
                                  Real alpha, Real beta, int batch, int channels, int width,
                                  int height, int padding_x, int padding_y, int width_out,
                                  int height_out EPILOGUE_PARAMETERS) {
  auto* const table = reinterpret_cast<Element*>(shared);
  auto* const buffers = reinterpret_cast<Element*>(shared + TERM_TABLE_BYTES);
  auto* const stage = reinterpret_cast<ElementOut*>(buffers + STAGES * Tile::kElements);
  const int first_channel = static_cast<int>(blockIdx.y) * (UNITS * kUnit);
  const int number = static_cast<int>(threadIdx.x) / 32;
  const int unit = number % UNITS;
  const WarpPlace warp = {number / UNITS * kWarpRows, unit, first_channel + unit * kUnit};
  const Layer layer = {image, channels, channels, width, height, padding_x, padding_y};
  const Output output = {elements, channels, width_out, height_out,
                         1,        alpha,    beta,      EPILOGUE_ARGUMENTS};
  const unsigned all_bits = ~static_cast<unsigned>(batch >> 31);

  Taps taps(table + unit * (kTapRows * kTableWidth * kUnit));
  const auto start = [&](int buffer, const TileOfOutputs& first) {
    Tile::start<kThreads, PROBLEM_STRIDE_X, PROBLEM_STRIDE_Y>(buffers + buffer * Tile::kElements,
                                                              layer, first, first_channel);
  };
  const auto prepare = [&] {
    write_table<kThreads>(table, filter, first_channel, channels);
    __syncthreads();
    taps.keep();
  };
  const auto compute = [&](int buffer, const TileOfOutputs& first) {
    const Element* const tile =
        buffers +
        (buffer * Tile::kElements + Tile::Order::place(warp.row * PROBLEM_STRIDE_Y, warp.unit, 0));
    WarpSums sums = {};
    add_products(sums, tile, all_bits, taps);
    write_sums(output, stage, first, warp, sums);
    if constexpr (STORE == STORE_STAGED) {
      __syncthreads();
      write_stage(output, stage, first, first_channel);
    }
  };
  if constexpr (DEPENDENT == DEPENDENT_YES) {
    allow_launch_behind();
    wait_for_launch_ahead();
  }
  for_each_tile<STAGES, kTileRows, kTileColumns>(batch, width_out, height_out, start, prepare,
                                                 compute);
}
