// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// output = epilogue(alpha · (sum over channels and taps of filter · image) + beta · output) on
// tensor cores (mma.sync, sm_80 and later), for images of one to three dimensions with their
// channels side by side: any sizes, strides, dilations, padding, boundary and groups. It is
// gemm/mma with another way to its left factor. The product has a row for each pixel of the output,
// a column for each filter of a group, and ks in the order of a filter in memory: plane, row and
// column of taps, channel. Nobody writes the left factor down; threads find each access of a tile
// in the image, and zeros beyond its edges.
//
// BLOCK_M, BLOCK_N    pixels and filters of a block            multiples of a warp's
// WARP_M, WARP_N      pixels and filters of a warp             multiples of 16; of float64, 64 · 32
//                                                              at most
// BLOCK_K             depth of the tiles in shared memory      32 to 128 bytes of ks; a multiple of
//                                                              32 bytes times FRAGMENTS
// STAGES              tiles of both factors in shared memory   2 …
// FRAGMENTS           fragments in registers; with 2, one is   1, 2
//                     read ahead of its use
// GROUP               rows of tiles computed side by side      1 …
// SPLIT_K             blocks that share a tile of the output   1 …; no macro where it is above 1
// VECTOR_K            channels in an access to image and       4 to 16 bytes, to which a group's
//                     filter                                   channels are a multiple
// CACHE               where accesses of 16 bytes to the image   l2: past the L1; l1: through it
//                     go
// MIN_BLOCKS          blocks that must fit on an SM at once    1 …
// PROBLEM_BOUNDARY, PROBLEM_ACCUMULATE   the problem's choices
// PROBLEM_LAYOUT      nhwc; with nchw, image, filter and `copy` are copies in nhwc: arranging.cu
// TYPE, TYPE_OUT, PROBLEM_PRECISION   types.cuh; float32 as tf32, float64 summed in float64
// TERM_RANK           2: images and signals; 3: volumes
//
// Shared memory, bytes: STAGES · BLOCK_K · (BLOCK_M + BLOCK_N) elements; at least 16 · (WARP_N + 8)
// sums for each warp, through which the output is written. Registers: WARP_M · WARP_N / 32 sums +
// FRAGMENTS · (WARP_M + WARP_N) / 4 + 3 for each access of a thread to a tile of the image + about
// 60. Grid: x = tiles of a group's output, y = SPLIT_K, z = groups. Workspace with SPLIT_K > 1:
// gemm/common/partial_sums.cuh. After: NVIDIA, PTX ISA, mma, ldmatrix and cp.async; Chetlur et al.,
// cuDNN: Efficient primitives for deep learning, 2014 (a product whose left factor is never
// written down).

#include "operand.cuh"
#include "pipeline.cuh"
#include "pixel_loader.cuh"
#include "pixel_output.cuh"
#include "row_sums.cuh"
#include "row_writer.cuh"
#include "tile_loader.cuh"

using Pixels = PixelLoader<Element, SwizzledTile<Element, BLOCK_M, BLOCK_K, true>, kThreads,
                           VECTOR_K, false, CACHE == CACHE_L1>;
using Filters =
    TileLoader<Element, SwizzledTile<Element, BLOCK_N, BLOCK_K, true>, kThreads, VECTOR_K, true>;

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv_layer_mma(const Element* __restrict__ image, const Element* __restrict__ filter,
                   ElementOut* elements, Real alpha, Real beta, int batch, int channels_in,
                   int channels_out, int groups, int width, int height, int filter_width,
                   int filter_height, int stride_x, int stride_y, int dilation_x, int dilation_y,
                   int padding_x, int padding_y, int width_out, int height_out,
                   VOLUME_PARAMETERS Counter* workspace COPY_PARAMETER EPILOGUE_PARAMETERS) {
  const int group = static_cast<int>(blockIdx.z);
  const int channels = channels_in / groups;
  const int filters = channels_out / groups;
  const int pixels = batch * depth_out * height_out * width_out;
  const int all_ks = filter_depth * filter_height * filter_width * channels;
  const MatrixPlace block = block_place(static_cast<int>(blockIdx.x), pixels, filters);
  const MatrixPlace warp = warp_place(static_cast<int>(threadIdx.x) / 32);
  const PixelOutput output = pixel_output(
      {elements, channels_out, width_out, height_out, depth_out, alpha, beta, EPILOGUE_ARGUMENTS},
      WRITTEN(elements), pixels, filters, group);

  const int all_tiles = (all_ks + BLOCK_K - 1) / BLOCK_K;
  const int part = IS_SPLIT ? static_cast<int>(blockIdx.y) : 0;
  const int first_tile = first_tile_of(part, parts_of_k(), all_tiles);
  const int last_tile = first_tile_of(part + 1, parts_of_k(), all_tiles);
  const int first_k = first_tile * BLOCK_K;
  const int last_k = min(all_ks, last_tile * BLOCK_K);
  const Window<Element> window = {image + group * channels,
                                  channels_in,
                                  width,
                                  height,
                                  channels,
                                  filter_width,
                                  dilation_x,
                                  dilation_y,
                                  depth,
                                  filter_height,
                                  dilation_z};
  const FirstTaps taps = {pixels,    width_out, height_out, stride_x, stride_y,
                          padding_x, padding_y, depth_out,  stride_z, padding_z};
  Pipeline<Pixels, Filters> pipeline(
      {window, first_k, last_k, [&](int line) { return taps.of(block.row + line); }},
      {{filter + group * filters * all_ks, all_ks, filters, last_k}, block.column, first_k}, warp);
  Sums sums = {};
  add_products(sums, pipeline, last_tile - first_tile);
  pipeline.drain();

  if constexpr (!IS_SPLIT) {
#pragma unroll
    for (int i = 0; i < kRowsOfFragments; ++i)
      write_rows(output, block + warp + MatrixPlace{16 * i, 0}, shared, sums[i]);
  } else {
    const int tile = group * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x);
    Run<4, Sum>* const sums_of_tile =
        partial_sums(workspace, static_cast<int>(gridDim.x * gridDim.z), tile, parts_of_k());
    write_partial_sums(sums_of_tile + static_cast<long long>(part) * kTileRuns, sums);
    if (!is_last_block(workspace + tile, parts_of_k(), reinterpret_cast<float*>(shared))) return;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < kRowsOfFragments; ++i) {
      add_partial_sums<4>(sums[0], sums_of_tile, i, parts_of_k());
      write_rows(output, block + warp + MatrixPlace{16 * i, 0}, shared, sums[0]);
    }
  }
}
