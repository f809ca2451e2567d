// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// output = epilogue(alpha · (sum over channels and taps of filter · image) + beta · output) on
// tensor cores (mma.sync, sm_80 and later), for few channels out: images of two dimensions with
// their channels side by side, a stride of 1, any dilation, padding and boundary. A block reads a
// tile of the image with its margins once and multiplies each pixel by every tap of every filter.
// The product has a row for each pixel, a column for each tap, and ks that are channels alone, so
// the filters are read as they lie in memory. Each output then adds up what its taps have in the
// rows of its neighbours, through shared memory. Another kernel that multiplies by tensor cores
// would fill its columns with filters, of which there are too few, and read a pixel for each tap.
//
// BLOCK_M             pixels of a tile, margins included       multiples of WARP_M and TILE_WIDTH
// TILE_WIDTH          columns of a tile, margins included      more than the margins, in both
//                                                              directions
// WARP_M, WARP_N      pixels and taps of a warp                multiples of 16; of float64, 64 · 32
//                                                              at most
// BLOCK_K             channels of the tiles in shared memory   32 to 128 bytes; a multiple of 32
//                                                              bytes times FRAGMENTS
// STAGES              tiles of both factors in shared memory   2 …
// FRAGMENTS           fragments in registers; with 2, one is   1, 2
//                     read ahead of its use
// VECTOR_K            channels in an access to image and       4 to 16 bytes, to which the channels
//                     filter                                   are a multiple
// MIN_BLOCKS          blocks that must fit on an SM at once    1 …
// PROBLEM_FILTER_WIDTH, PROBLEM_FILTER_HEIGHT, PROBLEM_CHANNELS_OUT   are compiled in
// PROBLEM_BOUNDARY, PROBLEM_ACCUMULATE   the problem's choices; its layouts are nhwc and krsc
// TYPE, TYPE_OUT, PROBLEM_PRECISION   types.cuh; float32 as tf32, float64 summed in float64
//
// Shared memory, bytes: STAGES · BLOCK_K · (BLOCK_M + columns) elements, columns being the taps of
// all filters, rounded up to WARP_N; after the product, taps · (BLOCK_M + 4) sums in their place.
// Registers: WARP_M · WARP_N / 32 sums + FRAGMENTS · (WARP_M + WARP_N) / 4 + 1 for each access of a
// thread to a tile of the image + about 40. Grid: x = tiles of all images. After: Anderson,
// Vasudevan, Keane and Gregg, Low-memory GEMM-based convolution algorithms for deep neural
// networks, 2017 (products of each tap, shifted and added).

#define GROUP 1
#define TAPS (PROBLEM_FILTER_WIDTH * PROBLEM_FILTER_HEIGHT)
#define BLOCK_N ((TAPS * PROBLEM_CHANNELS_OUT + WARP_N - 1) / WARP_N * WARP_N)

#include "operand.cuh"
#include "pipeline.cuh"
#include "pixel_loader.cuh"
#include "pixel_output.cuh"
#include "tile_loader.cuh"

using Pixels = PixelLoader<Element, SwizzledTile<Element, BLOCK_M, BLOCK_K, true>, kThreads,
                           VECTOR_K, true, false>;
using Filters =
    TileLoader<Element, SwizzledTile<Element, BLOCK_N, BLOCK_K, true>, kThreads, VECTOR_K, true>;

constexpr int kTaps = TAPS;
constexpr int kFilters = PROBLEM_CHANNELS_OUT;
constexpr int kTileHeight = BLOCK_M / TILE_WIDTH;
static_assert(BLOCK_M % TILE_WIDTH == 0, "a tile has whole rows");

// From one tap's sums to the next one's: four more than a tile's pixels, so that the columns and
// rows of a warp's lanes lie in different banks.
constexpr int kPitch = BLOCK_M + 4;

// Writes this thread's sums to their taps and pixels.
__device__ __forceinline__ void write_sums(Sum* sums_of_taps, const MatrixPlace& warp,
                                           const Sums& sums) {
  const int lane = lane_of_warp();
#pragma unroll
  for (int j = 0; j < kColumnsOfProducts; ++j)
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const int column = warp.column + 8 * j + lane % 4 * 2 + side;
      if (column >= kTaps * kFilters) continue;
      Sum* const own = sums_of_taps + (column * kPitch + warp.row + lane / 4);
#pragma unroll
      for (int i = 0; i < kRowsOfFragments; ++i) {
        own[16 * i] = sums[i][j][side];
        own[16 * i + 8] = sums[i][j][side + 2];
      }
    }
}

// Filters whose outputs a thread writes in one access, where they are aligned.
constexpr int kRun = common_power(kFilters);

// Adds up what the taps of kRun filters have for the output whose first tap lies at `first`.
__device__ __forceinline__ Run<kRun, Sum> add_taps(const Sum* first, int dilation_x,
                                                   int dilation_y) {
  Run<kRun, Sum> run = {};
#pragma unroll
  for (int row = 0; row < PROBLEM_FILTER_HEIGHT; ++row)
#pragma unroll
    for (int tap = 0; tap < PROBLEM_FILTER_WIDTH; ++tap) {
      const Sum* const place = first + (row * dilation_y * TILE_WIDTH + tap * dilation_x);
#pragma unroll
      for (int f = 0; f < kRun; ++f)
        run.value[f] += place[(f * kTaps + row * PROBLEM_FILTER_WIDTH + tap) * kPitch];
    }
  return run;
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv_layer_shift(const Element* __restrict__ image, const Element* __restrict__ filter,
                     ElementOut* elements, Real alpha, Real beta, int batch, int channels_in,
                     int width, int height, int dilation_x, int dilation_y, int padding_x,
                     int padding_y, int width_out, int height_out EPILOGUE_PARAMETERS) {
  const int tile_width = TILE_WIDTH - (PROBLEM_FILTER_WIDTH - 1) * dilation_x;  // of the output
  const int tile_height = kTileHeight - (PROBLEM_FILTER_HEIGHT - 1) * dilation_y;
  const int across = (width_out + tile_width - 1) / tile_width;
  const int down = (height_out + tile_height - 1) / tile_height;
  const int rows_of_tiles = static_cast<int>(blockIdx.x) / across;
  const int column = (static_cast<int>(blockIdx.x) - rows_of_tiles * across) * tile_width;
  const int number = rows_of_tiles / down;  // of the image
  const int row = (rows_of_tiles - number * down) * tile_height;

  const MatrixPlace warp = warp_place(static_cast<int>(threadIdx.x) / 32);
  const Window<Element> window = {image,       channels_in, width,      height,
                                  channels_in, 1,           dilation_x, dilation_y};
  Pipeline<Pixels, Filters> pipeline({window, 0, channels_in,
                                      [&](int line) -> FirstTap {
                                        return {number, row + line / TILE_WIDTH - padding_y,
                                                column + line % TILE_WIDTH - padding_x};
                                      }},
                                     {{filter, channels_in, kTaps * kFilters, channels_in}, 0, 0},
                                     warp);
  Sums sums = {};
  add_products(sums, pipeline, (channels_in + BLOCK_K - 1) / BLOCK_K);
  pipeline.drain();

  auto* const sums_of_taps = reinterpret_cast<Sum*>(shared);
  write_sums(sums_of_taps, warp, sums);
  __syncthreads();
  const PixelOutput output =
      pixel_output({elements, kFilters, width_out, height_out, 1, alpha, beta, EPILOGUE_ARGUMENTS},
                   batch * height_out * width_out, kFilters, 0);
  const bool aligned = output.c.is_aligned<kRun>();
#pragma unroll 1
  for (int pixel = static_cast<int>(threadIdx.x); pixel < BLOCK_M; pixel += kThreads) {
    const int y = pixel / TILE_WIDTH;
    const int x = pixel % TILE_WIDTH;
    if (y >= tile_height || x >= tile_width || row + y >= height_out || column + x >= width_out)
      continue;
    const int place = (number * height_out + row + y) * width_out + column + x;
#pragma unroll
    for (int f = 0; f < kFilters; f += kRun)
      output.write<kRun>(
          place, f, aligned,
          add_taps(sums_of_taps + (f * kTaps * kPitch + pixel), dilation_x, dilation_y));
  }
}
