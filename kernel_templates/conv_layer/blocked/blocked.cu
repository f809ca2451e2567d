// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// output = epilogue(alpha · (sum over channels and taps of filter · image) + beta · output) on
// plain cores in float32 or float64, for images of two dimensions with their channels side by side:
// any sizes, strides, dilations, padding, boundary and groups. It is gemm/blocked with another way
// to its factors. The product has a row for each pixel of the output, a column for each filter of a
// group, and ks in the order of a filter in memory: row of taps, column of taps, channel. Nobody
// writes the left factor down; threads find each access of a tile in the image, and zeros beyond
// its edges. conv_layer_prepare_filters turns the filters, so that a k has a row in memory and in
// shared memory. So a thread reads four ks of a pixel, or four filters of a k, at once. The
// register file has two banks; the two sides' orders let each product take its factors and its sum
// from both.
//
// BLOCK_M, BLOCK_N    pixels and filters of a block            multiples of a warp's
// THREAD_M, THREAD_N  pixels and filters of a thread           even; a multiple of 4
// LANES_N             lanes of a warp along the filters        4, 8, 16
// BLOCK_K             depth of the tiles in shared memory      8, 16, 32
// STAGES              tiles of both factors in shared memory   2 …
// ORDER               order of multiply-adds:                  serpentine, zigzag
//                     gemm/blocked/fragments.cuh
// GROUP               rows of tiles computed side by side      1 …
// SPLIT_K             blocks that share a tile of the output   1 …; no macro where it is above 1
//                                                              and there is no cluster
// REDUCTION           who adds their sums: the last block, or  block, cluster
//                     all of them as a cluster (sm_90 and
//                     later; at most 8); the order is the same
// VECTOR_K            channels in an access to the image       1, 2, 4, of up to 16 bytes, to which
//                                                              a group's channels are a multiple
// CACHE               where accesses of 16 bytes to the image  l2: past the L1; l1: through it
//                     go
// MIN_BLOCKS          blocks that must fit on an SM at once    1 …
// PROBLEM_BOUNDARY, PROBLEM_ACCUMULATE   the problem's choices; its layouts are nhwc and krsc
// TYPE, TYPE_OUT, PROBLEM_PRECISION   types.cuh; TYPE and the precision are the same
//
// Shared memory, bytes: STAGES · (BLOCK_M · (BLOCK_K + 4) + BLOCK_K · BLOCK_N) elements; as a
// cluster at least BLOCK_M · BLOCK_N. Registers: THREAD_M · THREAD_N + 8 · THREAD_M +
// 2 · THREAD_N + 3 for each access of a thread to a tile of the image + about 30. Grid: x = tiles
// of a group's output, y = SPLIT_K, z = groups. Prepared filters: prepared_filters.cuh. Workspace
// with SPLIT_K > 1 but no cluster: gemm/common/partial_sums.cuh. After: gemm/blocked; Chetlur et
// al., cuDNN: Efficient primitives for deep learning, 2014 (a product whose left factor is never
// written down); Gray, maxDNN and SGEMM for Maxwell, 2014 (banks of registers).

#include "dependent_launch.cuh"
#include "last_block.cuh"
#include "pixel_output.cuh"
#include "prepared_filters.cuh"
#include "split_k.cuh"
#include "tiles.cuh"

// The outputs of a thread: those of its sums whose runs of four are counted along the filters.
struct ThreadOutput {
  const PixelOutput& output;
  MatrixPlace first;

  __device__ __forceinline__ void write(int run, const Run<4, Sum>& sums) const {
    output.write<4>(first.row + row_offset(run / (THREAD_N / 4)),
                    first.column + column_offset(run % (THREAD_N / 4) * 4),
                    output.c.is_aligned<4>(), sums);
  }
};

// The blocks that share a sum are a cluster, of which each writes its share of the whole sums.
__device__ __forceinline__ void write_cluster_sums(const ThreadOutput& output, const Sums& sums) {
  auto* const sums_of_part = reinterpret_cast<Run<4, Sum>*>(shared);
  write_partial_sums(sums_of_part, sums);
  synchronise_cluster();
#pragma unroll 2
  for (int run = static_cast<int>(blockIdx.y); run < kTileRuns / kThreads; run += parts_of_k())
    output.write(run, add_cluster_sums<kMostParts>(sums_of_part, run));
  synchronise_cluster();  // others still read this block's
}

// The sums of a part go to the workspace, where the last block adds them up.
__device__ __forceinline__ void write_part(const ThreadOutput& output, const Sums& sums,
                                           Counter* workspace) {
  const int tile = static_cast<int>(blockIdx.z * gridDim.x + blockIdx.x);
  Run<4, Sum>* const sums_of_tile =
      partial_sums(workspace, static_cast<int>(gridDim.x * gridDim.z), tile, parts_of_k());
  write_partial_sums(sums_of_tile + static_cast<long long>(blockIdx.y) * kTileRuns, sums);
  if (!is_last_block(workspace + tile, parts_of_k(), shared)) return;
#pragma unroll 2
  for (int run = 0; run < kTileRuns / kThreads; ++run)
    output.write(run, add_partial_sums<4>(sums_of_tile, run, parts_of_k()));
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv_layer_blocked(const Element* __restrict__ image, const Element* __restrict__ prepared,
                       ElementOut* elements, Real alpha, Real beta, int batch, int channels_in,
                       int channels_out, int groups, int width, int height, int filter_width,
                       int filter_height, int stride_x, int stride_y, int dilation_x,
                       int dilation_y, int padding_x, int padding_y, int width_out, int height_out,
                       Counter* workspace EPILOGUE_PARAMETERS) {
  const int group = static_cast<int>(blockIdx.z);
  const int channels = channels_in / groups;
  const int filters = channels_out / groups;
  const int pixels = batch * height_out * width_out;
  const int depth = filter_height * filter_width * channels;
  const MatrixPlace block = block_place(static_cast<int>(blockIdx.x), pixels, filters);
  const MatrixPlace place = thread_place(static_cast<int>(threadIdx.x));
  const PixelOutput pixel_outputs = pixel_output(
      {elements, channels_out, width_out, height_out, 1, alpha, beta, EPILOGUE_ARGUMENTS}, pixels,
      filters, group);
  const ThreadOutput output = {pixel_outputs, block + place};

  const int all_tiles = (depth + BLOCK_K - 1) / BLOCK_K;
  const int part = IS_SPLIT ? static_cast<int>(blockIdx.y) : 0;
  const int first_tile = first_tile_of(part, parts_of_k(), all_tiles);
  const int last_tile = first_tile_of(part + 1, parts_of_k(), all_tiles);
  const int first_k = first_tile * BLOCK_K;
  const int last_k = min(depth, last_tile * BLOCK_K);
  const Window<Element> window = {image,    channels_in,  width,      height,
                                  channels, filter_width, dilation_x, dilation_y};
  const FirstTaps taps = {pixels, width_out, height_out, stride_x, stride_y, padding_x, padding_y};
  wait_for_launch_ahead();  // it prepares the filters, if they are prepared in each call
  const int column_of_tiles = group * ((filters + BLOCK_N - 1) / BLOCK_N) + block.column / BLOCK_N;
  Pipeline pipeline(
      {window, group * channels, first_k, last_k,
       [&](int line) { return taps.of(block.row + line); }},
      FilterCopies(prepared + (static_cast<long long>(column_of_tiles) * all_tiles + first_tile) *
                                  kFilterElements),
      last_tile - first_tile, place);
  Sums sums = {};
  add_products(sums, pipeline, last_tile - first_tile);
  pipeline.drain();

  if constexpr (!IS_SPLIT) {
#pragma unroll
    for (int run = 0; run < kTileRuns / kThreads; ++run) {
      const Sum* const first = &sums[run / (THREAD_N / 4)][run % (THREAD_N / 4) * 4];
      output.write(run, {{first[0], first[1], first[2], first[3]}});
    }
  } else if constexpr (REDUCTION == REDUCTION_CLUSTER) {
    write_cluster_sums(output, sums);
  } else {
    write_part(output, sums, workspace);
  }
}
