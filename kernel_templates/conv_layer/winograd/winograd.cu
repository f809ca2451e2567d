// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// output = epilogue(alpha · (sum over channels and taps of filter · image) + beta · output) for
// filters of 3 × 3 taps, by Winograd's transforms: on plain cores in float32 or float64, for images
// of two dimensions with their channels side by side, any sizes, padding and boundary. Tiles of
// TILE_SIDE × TILE_SIDE outputs take (TILE_SIDE + 2)² products for each channel in place of
// 9 · TILE_SIDE². Each of these is at a point, where the layer is a product of matrices: a row for
// each tile, a column for each filter, a k for each channel. The launches are: filters to their
// values at the points; tiles to theirs; products, by the pipeline of conv_layer/blocked; their
// sums to outputs. What goes from one to the next is in the workspace, and mostly in the L2.
//
// TILE_SIDE           outputs of a tile along each side        2, 4
// CHANNELS            neighbouring channels of a tile that a   1, 2, 4, of which the channels on
//                     thread transforms                        both sides are multiples
// TRANSFORM_THREADS   threads of a block that transforms       128, 256
// BLOCK_M, BLOCK_N    tiles and filters that a block           multiples of a warp's; of 32
//                     multiplies
// THREAD_M, THREAD_N, LANES_N, BLOCK_K, STAGES, ORDER, GROUP, MIN_BLOCKS   conv_layer/blocked
// PROBLEM_BOUNDARY, PROBLEM_ACCUMULATE   the problem's choices; its layouts are nhwc and krsc
// TYPE, TYPE_OUT, PROBLEM_PRECISION   types.cuh; TYPE and the precision are the same
//
// Shared memory and registers of the products: conv_layer/blocked. Registers of a transform:
// CHANNELS · (TILE_SIDE + 2)² + about 40. Prepared filters: those of conv_layer/blocked at each
// point, [point][tile of BLOCK_N filters][channel][filter], with zeros up to multiples of BLOCK_N
// and BLOCK_K. Workspace: [point][tile][channel], with zeros up to a multiple of BLOCK_K, then the
// sums, [point][tile][filter], up to a multiple of 4. After: transforms.cuh; conv_layer/blocked.

// As conv_layer/blocked, a layer with one tap and one image, whose pixels are a point's tiles.
#define VECTOR_K 4
#define TERM_ONE_TAP 1
#define CACHE_L1 1
#define CACHE 0

#include "dependent_launch.cuh"
#include "pixel_output.cuh"
#include "tiles.cuh"
#include "transforms.cuh"

// Grid: x = 32 filters up to a multiple of BLOCK_N, y = 8 channels up to one of BLOCK_K; 32 · 8
// threads.
extern "C" __global__ void conv_layer_winograd_filters(const Element* __restrict__ filter,
                                                       Element* __restrict__ prepared,
                                                       int channels_in, int channels_out) {
  allow_launch_behind();
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int channel = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int depth = static_cast<int>(gridDim.y * blockDim.y);
  const bool exists = column < channels_out && channel < channels_in;
  const Element* const taps = filter + (column * (kTaps * kTaps * channels_in) + channel);
  const auto half = transform_columns<FilterTransform, 1>([&](int row, int tap) {
    return Run<1, Sum>{{exists ? taps[(row * kTaps + tap) * channels_in] : Element{}}};
  });
  const long long elements = static_cast<long long>(gridDim.x * blockDim.x) * depth;  // of a point
  Element* const target =
      prepared +
      (static_cast<long long>(column / BLOCK_N * depth + channel) * BLOCK_N + column % BLOCK_N);
  transform_rows(half, [&](int row, int tap, const Run<1, Sum>& value) {
    target[(row * kSide + tap) * elements] = value.value[0];
  });
}

// The output in tiles.
struct Tiles {
  int across;
  int down;
  int count;
};

// Some neighbouring channels of one tile, of which each thread has one.
struct TileRun {
  int tile;
  int channel;
  int image;
  int row;  // of the first output
  int column;
};
__device__ __forceinline__ TileRun tile_run(const Tiles& tiles, int channels) {
  const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int runs = channels / CHANNELS;
  const int tile = index / runs;
  const int row = tile / tiles.across;
  return {tile, (index - tile * runs) * CHANNELS, row / tiles.down, row % tiles.down * TILE_SIDE,
          (tile - row * tiles.across) * TILE_SIDE};
}

extern "C" __global__ void __launch_bounds__(TRANSFORM_THREADS)
    conv_layer_winograd_input(const Element* __restrict__ image, Element* __restrict__ values,
                              int batch, int channels_in, int depth, int width, int height,
                              int padding_x, int padding_y, int tiles_across, int tiles_down) {
  const Tiles tiles = {tiles_across, tiles_down, tiles_across * tiles_down * batch};
  const TileRun run = tile_run(tiles, depth);
  if (run.tile >= tiles.count) return;
  const auto half = transform_columns<InputTransform, CHANNELS>([&](int row, int column) {
    const int y = source_index(run.row - padding_y + row, height);
    const int x = source_index(run.column - padding_x + column, width);
    Run<CHANNELS, Sum> pixel = {};
    if (run.channel < channels_in && (!kGhostsAreZero || (y >= 0 && x >= 0)))
      pixel = *reinterpret_cast<const Run<CHANNELS, Element>*>(
          image + (((run.image * height + y) * width + x) * channels_in + run.channel));
    return pixel;
  });
  Element* const target = values + (run.tile * depth + run.channel);
  const long long elements = static_cast<long long>(tiles.count) * depth;  // of a point
  wait_for_launch_ahead();  // before it writes to the workspace
  transform_rows(half, [&](int row, int column, const Run<CHANNELS, Sum>& value) {
    *reinterpret_cast<Run<CHANNELS, Sum>*>(target + (row * kSide + column) * elements) = value;
  });
}

// Grid: x = tiles of a point's sums, z = points.
extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv_layer_winograd_products(const Element* __restrict__ values,
                                 const Element* __restrict__ prepared, Sum* __restrict__ sums_out,
                                 int tiles, int depth, int filters) {
  const int point = static_cast<int>(blockIdx.z);
  const MatrixPlace block = block_place(static_cast<int>(blockIdx.x), tiles, filters);
  const MatrixPlace place = thread_place(static_cast<int>(threadIdx.x));
  const Element* const values_of_point = values + static_cast<long long>(point) * tiles * depth;
  const Window<Element> window = {values_of_point, depth, tiles, 1, depth, 1, 1, 1};
  const int steps = depth / BLOCK_K;
  const int column_of_tiles = point * ((filters + BLOCK_N - 1) / BLOCK_N) + block.column / BLOCK_N;
  wait_for_launch_ahead();
  Pipeline pipeline(
      {window, 0, 0, depth,
       [&](int line) {
         return FirstTap{0, 0, min(block.row + line, tiles - 1)};
       }},
      FilterCopies(prepared + static_cast<long long>(column_of_tiles) * steps * kFilterElements),
      steps, place);
  Sums sums = {};
  add_products(sums, pipeline, steps);
  pipeline.drain();

  const Matrix<Sum> target = {sums_out + static_cast<long long>(point) * tiles * filters, tiles,
                              filters, filters};
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
    for (int j = 0; j < THREAD_N; j += 4)
      store_run<4>(target, block.row + place.row + row_offset(i),
                   block.column + place.column + column_offset(j), true,
                   {{sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]}});
}

extern "C" __global__ void __launch_bounds__(TRANSFORM_THREADS)
    conv_layer_winograd_output(const Sum* __restrict__ sums, ElementOut* elements, Real alpha,
                               Real beta, int batch, int channels_out, int filters, int width_out,
                               int height_out, int tiles_across,
                               int tiles_down EPILOGUE_PARAMETERS) {
  const Tiles tiles = {tiles_across, tiles_down, tiles_across * tiles_down * batch};
  const TileRun run = tile_run(tiles, filters);
  wait_for_launch_ahead();
  if (run.tile >= tiles.count) return;
  const PixelOutput output = pixel_output(
      {elements, channels_out, width_out, height_out, 1, alpha, beta, EPILOGUE_ARGUMENTS},
      batch * height_out * width_out, channels_out, 0);
  const Sum* const source = sums + (run.tile * filters + run.channel);
  const long long of_point = static_cast<long long>(tiles.count) * filters;
  const auto half = transform_columns<OutputTransform, CHANNELS>([&](int row, int column) {
    return *reinterpret_cast<const Run<CHANNELS, Sum>*>(source + (row * kSide + column) * of_point);
  });
  transform_rows(half, [&](int row, int column, const Run<CHANNELS, Sum>& value) {
    const int y = run.row + row;
    const int x = run.column + column;
    if (y < height_out && x < width_out)
      output.write<CHANNELS>((run.image * height_out + y) * width_out + x, run.channel, true,
                             value);
  });
}
