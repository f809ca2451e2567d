// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// output = epilogue(alpha · (sum over channels and taps of filter · image) + beta · output) on
// tensor cores (mma.sync, sm_80 and later, or wgmma, sm_90a), for 1 to 16 channels in: images of
// two dimensions with their channels side by side, any strides, dilations and padding with zeros.
// With few channels a row of taps meets neighbours in memory, taps and channels packed. A block
// copies a tile of the image with its margins to shared memory as it lies in memory; lanes read the
// words that a product takes from there, without building its left factor anywhere. What a window
// has beyond a filter's row is cut off in registers, so that Inf and NaN of a neighbour do not
// leak. Blocks stay for several tiles; the next one is copied while one is multiplied.
//
// FILTERS             channels out of a block                  multiples of 8
// TILE_WIDTH          columns of a tile of outputs             multiples of 16
// TILE_HEIGHT         rows of it                               1 …
// WARPS               warps of a block                         1 …
// PRODUCT             what a warp multiplies at once: 16       mma, toeplitz (one channel of two
//                     pixels (mma; wgmma, with filters in      bytes, at most 16 taps in a row,
//                     shared memory), or 32 neighbours in      strides and dilations of 1,
//                     all rows of a tile, which share what     TILE_WIDTH = 32 · WARPS), wgmma
//                     they read (toeplitz)                     (compute capability 9.0, WARPS = 4
//                                                              or 8)
// VECTOR_K            elements in an access to the image       1, 2, 4, 8, to which the length of
//                                                              its rows is a multiple
// MIN_BLOCKS          blocks that must fit on an SM at once    1 …
// PROBLEM_CHANNELS_IN, PROBLEM_FILTER_…, PROBLEM_STRIDE_…, PROBLEM_DILATION_…, PROBLEM_PADDING_X
//                     are compiled in
// PROBLEM_ACCUMULATE  the problem's choice; its layout is nhwc, its boundary zero
// TYPE, TYPE_OUT, PROBLEM_PRECISION   types.cuh: 16-bit floats, or float32 as tf32
//
// Filters are in the order of the lanes, with wgmma in that of shared memory, which
// conv_layer_rows_prepare makes: `prepared` of the manifest. Shared memory, bytes: two tiles, each
// of tile_rows · row_units units of 16 bytes (terms of the manifest), and a third where every other
// window begins within a word; with wgmma 32 · FILTERS · steps before them. Registers: of a
// product, filters FILTERS / 4 · steps (wgmma: words 4 · steps), places and masks up to 4 · steps,
// sums FILTERS / 2; toeplitz: sums TILE_HEIGHT · FILTERS; + about 40. Grid: x = blocks that are
// resident, at most the tiles, y = blocks of filters. After: NVIDIA, PTX ISA, matrix fragments for
// mma and wgmma; Chellapilla, Puri and Simard, High performance convolutional neural networks for
// document processing, 2006 (convolution as a product of unfolded windows).

#include "dependent_launch.cuh"
#include "pixel_output.cuh"
#include "tile.cuh"
#if PRODUCT == PRODUCT_WGMMA
#include "wgmma_products.cuh"
#else
#include "products.cuh"
#endif

extern "C" __global__ void conv_layer_rows_prepare(const Element* __restrict__ filter,
                                                   unsigned* __restrict__ prepared,
                                                   int channels_out) {
  allow_launch_behind();
  const int place = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int block = place / kBlockWords;
  const int lane = place % 32;
  const int half = place / 32 % 2;
  const int product = place / 64 % kProducts;
  const int step = place / (64 * kProducts) % kSteps;
  const int word = 8 * step + 4 * half + lane % 4;
  const int channel = block * FILTERS + filter_of(product, lane / 4);
  if (block >= (channels_out + FILTERS - 1) / FILTERS) return;
  unsigned packed = 0;
#pragma unroll
  for (int part = 0; part < kWord; ++part) {
    Element element = {};
    if (channel < channels_out && is_needed(word, part)) {
      const int row = channel * PROBLEM_FILTER_HEIGHT + word / kRowWords;
      element = filter[row * kWindow + element_of(word, part)];
    }
    reinterpret_cast<Element*>(&packed)[part] = element;
  }
  prepared[block * kBlockWords + prepared_place(step, product, half, lane)] = packed;
}

// The sums of 16 neighbours in a row, which begin at `pixel` of the output and `left` pixels before
// the end of its row.
__device__ __forceinline__ void write_sums(const PixelOutput& output, int pixel, int left,
                                           int first_filter, bool aligned, const WindowSums& sums) {
  constexpr int kTogether = kRun / 2;  // products whose sums are neighbours
  const int lane = lane_of_warp();
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int column = lane / 4 + 8 * i;
    if (column >= left) continue;
#pragma unroll
    for (int product = 0; product < kProducts; product += kTogether) {
      Run<kRun, Sum> run;
#pragma unroll
      for (int e = 0; e < kRun; ++e) run.value[e] = sums[product + e / 2][2 * i + e % 2];
      output.write<kRun>(pixel + column, first_filter + filter_of(product, lane % 4 * 2), aligned,
                         run);
    }
  }
}

// The products of a tile of the image, in which the lane's first window begins at `windows`.
// `write(down, along, sums)` writes those of 16 outputs so far from the tile's first.
template <class WRITE>
__device__ __forceinline__ void multiply(const Filters& filters, const Element* windows,
                                         WRITE&& write) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
#if PRODUCT == PRODUCT_TOEPLITZ
  RowsOfSums sums = {};
#pragma unroll
  for (int i = 0; i < kTileRows; ++i)
    multiply_add_row(sums, filters, i, windows + (i * kPitch + 32 * warp));
#pragma unroll
  for (int i = 0; i < TILE_HEIGHT; ++i)
#pragma unroll
    for (int side = 0; side < 2; ++side) write(i, 32 * warp + 16 * side, sums[side][i]);
#else
#pragma unroll 1
  for (int part = warp; part < TILE_WIDTH / 16 * TILE_HEIGHT; part += WARPS) {
    const int down = part / (TILE_WIDTH / 16);
    const int along = part % (TILE_WIDTH / 16) * 16;
    WindowSums sums = {};
    filters.multiply_add(sums, windows + (down * PROBLEM_STRIDE_Y * kPitch + along * kStride));
    write(down, along, sums);
  }
#endif
}

// Tiles of the outputs of all images.
struct Tiles {
  int across;
  int down;

  struct Place {
    int batch;
    int row;
    int column;
  };
  __device__ __forceinline__ Place place_of(int tile) const {
    const int row = tile / across;
    const int batch = row / down;
    return {batch, (row - batch * down) * TILE_HEIGHT, (tile - row * across) * TILE_WIDTH};
  }
};

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv_layer_rows(const Element* __restrict__ image, const unsigned* prepared,
                    ElementOut* elements, Real alpha, Real beta, int batch, int channels_out,
                    int width, int height, int padding_y, int width_out,
                    int height_out EPILOGUE_PARAMETERS) {
  auto* const buffers = reinterpret_cast<Element*>(shared + kTilesAt);
  const Tiles tiles = {(width_out + TILE_WIDTH - 1) / TILE_WIDTH,
                       (height_out + TILE_HEIGHT - 1) / TILE_HEIGHT};
  const int count = tiles.across * tiles.down * batch;
  const Images images = {image, width * PROBLEM_CHANNELS_IN, height};
  const auto start = [&](int tile, int buffer) {
    const Tiles::Place place = tiles.place_of(tile);
    if (tile < count)
      start_tile(
          buffers + buffer * kTilePitch, images,
          {place.batch, place.row * PROBLEM_STRIDE_Y - padding_y,
           place.column * kStride - (PROBLEM_PADDING_X * PROBLEM_CHANNELS_IN + kFront + kShift)});
    end_copy_group();
  };
  start(static_cast<int>(blockIdx.x), 0);
  wait_for_launch_ahead();  // it prepares the filters, if they are prepared in each call
  const Filters filters(prepared + static_cast<int>(blockIdx.y) * kBlockWords);
  const PixelOutput output = pixel_output(
      {elements, channels_out, width_out, height_out, 1, alpha, beta, EPILOGUE_ARGUMENTS},
      batch * height_out * width_out, channels_out, 0);
  const bool aligned = output.c.is_aligned<kRun>();
  // The windows of a lane all begin at even elements, or all at odd ones.
  const int first_window = kShift + lane_of_warp() / 4 * kStride;
  const bool is_shifted = kTwice && first_window % 2 != 0;

  int buffer = 0;
#pragma unroll 1
  for (int tile = static_cast<int>(blockIdx.x); tile < count; tile += static_cast<int>(gridDim.x)) {
    start(tile + static_cast<int>(gridDim.x), 1 - buffer);
    wait_for_copies_but<1>();
    __syncthreads();
    const Element* const own = buffers + buffer * kTilePitch;
    if (kTwice) {
      copy_shifted(buffers + kSecond, own);
      __syncthreads();
    }
    const Tiles::Place place = tiles.place_of(tile);
    multiply(filters, (is_shifted ? buffers + (kSecond - 1) : own) + first_window,
             [&](int down, int along, const WindowSums& sums) {
               const int row = place.row + down;
               const int column = place.column + along;
               if (row < height_out)
                 write_sums(output, (place.batch * height_out + row) * width_out + column,
                            width_out - column, static_cast<int>(blockIdx.y) * FILTERS, aligned,
                            sums);
             });
    __syncthreads();  // before the next tile but one takes the place of this one
    buffer = 1 - buffer;
  }
}
