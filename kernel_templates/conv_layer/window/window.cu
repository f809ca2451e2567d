// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// output = epilogue(alpha · (sum over channels and taps of filter · image) + beta · output) on
// plain cores in float32 or float64, for few channels in: images of two dimensions with their
// channels side by side, any strides, dilations, padding and boundary. A block reads a tile of the
// image with its margins once, while it works on the tile before, and has its filters in shared
// memory. For a row of taps, a thread reads all that the pixels of its outputs meet, which are
// neighbours in a row, into registers. So each value is read once for all taps and pixels that meet
// it, and no address is computed: conv_layer/blocked would compute one for each element.
//
// TILE_WIDTH, TILE_HEIGHT   pixels of a tile of the output     TILE_WIDTH is a multiple of THREAD_M
// THREAD_M, THREAD_N        neighbouring pixels in a row, and  multiples of 4
//                           filters of a thread
// LANES_N                   lanes of a warp along the filters  4, 8, 16
// BLOCK_N                   filters of a block                 a multiple of LANES_N · THREAD_N
// ORDER                     order of multiply-adds:            serpentine, zigzag
//                           gemm/blocked/fragments.cuh
// MIN_BLOCKS                blocks that must fit on an SM      1 …
// PROBLEM_CHANNELS_IN, PROBLEM_FILTER_WIDTH, PROBLEM_FILTER_HEIGHT, PROBLEM_STRIDE_X,
// PROBLEM_STRIDE_Y, PROBLEM_DILATION_X, PROBLEM_DILATION_Y   are compiled in
// PROBLEM_BOUNDARY, PROBLEM_ACCUMULATE   the problem's choices; its layouts are nhwc and krsc
// TYPE, TYPE_OUT, PROBLEM_PRECISION   types.cuh; TYPE and the precision are the same
//
// Shared memory, elements: taps · channels · BLOCK_N, and two tiles of the image, whose rows are
// multiples of four. Registers: THREAD_M · THREAD_N + what a row of taps meets, ((THREAD_M − 1) ·
// stride + (taps − 1) · dilation + 1) · channels + 2 · THREAD_N + about 30. Grid: x = as many
// blocks as take turns with the tiles, y = tiles of BLOCK_N filters. Prepared filters:
// blocked/prepared_filters.cuh.

#define BLOCK_M (TILE_WIDTH * TILE_HEIGHT)
#define BLOCK_K 1
#define GROUP 1
#define SPLIT_K 1

#include "async_copy.cuh"
#include "boundary.cuh"
#include "pixel_output.cuh"
#include "prepared_filters.cuh"
#include "product.cuh"

constexpr int kChannels = PROBLEM_CHANNELS_IN;
constexpr int kRowDepth = PROBLEM_FILTER_WIDTH * kChannels;  // ks of a row of taps
constexpr int kFilterElements = PROBLEM_FILTER_HEIGHT * kRowDepth * BLOCK_N;

// Elements of a row of the image that a row of taps meets for neighbouring pixels.
constexpr int elements_met(int pixels) {
  return ((pixels - 1) * PROBLEM_STRIDE_X + (PROBLEM_FILTER_WIDTH - 1) * PROBLEM_DILATION_X + 1) *
         kChannels;
}
constexpr int kRowElements = elements_met(TILE_WIDTH);
constexpr int kPitch = (kRowElements + 3) / 4 * 4;
constexpr int kRows =
    (TILE_HEIGHT - 1) * PROBLEM_STRIDE_Y + (PROBLEM_FILTER_HEIGHT - 1) * PROBLEM_DILATION_Y + 1;
constexpr int kTileElements = kRows * kPitch;
constexpr int kThreadsInRow = TILE_WIDTH / THREAD_M;
static_assert(TILE_WIDTH % THREAD_M == 0 && THREAD_M % 4 == 0, "a thread's window is aligned");

extern __shared__ __align__(16) float shared[];

// The first output of a tile.
struct Tile {
  int image;
  int row;
  int column;
};

struct Images {
  const Element* image;
  int tiles_across;
  int tiles_down;
  int width;
  int height;
  int padding_x;
  int padding_y;

  __device__ __forceinline__ Tile tile(int number) const {
    const int row = number / tiles_across;
    return {row / tiles_down, row % tiles_down * TILE_HEIGHT,
            (number - row * tiles_across) * TILE_WIDTH};
  }

  // Begins to copy what the filters meet for a tile of the output: a warp copies a row.
  __device__ __forceinline__ void start(const Tile& tile, Element* target) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int first_row = tile.row * PROBLEM_STRIDE_Y - padding_y;
    const int first_column = tile.column * PROBLEM_STRIDE_X - padding_x;
    // No column of a tile exists that begins at either limit.
    const unsigned first =
        static_cast<unsigned>(min(max(first_column, -(1 << 24)), width)) * kChannels + lane;
    const auto row_length = static_cast<unsigned>(width * kChannels);
#pragma unroll 1
    for (int row = static_cast<int>(threadIdx.x) / 32; row < kRows; row += kThreads / 32) {
      const int y = source_index(first_row + row, height);
      const Element* const line = image + (tile.image * height + max(y, 0)) * (width * kChannels);
      const Element* const source = line + static_cast<int>(first);
      Element* const target_of_row = target + (row * kPitch + lane);
#pragma unroll
      for (int i = 0; i < kRowElements; i += 32) {
        if (i + lane >= kRowElements) break;
        if constexpr (kGhostsAreZero) {
          start_copy_or_zeros<1>(target_of_row + i, source + i, y >= 0 && first + i < row_length);
        } else {
          const int x = source_index(first_column + (i + lane) / kChannels, width);
          start_copy<1>(target_of_row + i, line + (x * kChannels + (i + lane) % kChannels));
        }
      }
    }
  }
};

// The products of a thread whose window begins at `window` and whose filters at `filters`.
__device__ __forceinline__ void add_products(Sums& sums, const Element* window,
                                             const Element* filters) {
  constexpr int kMet = (elements_met(THREAD_M) + 3) / 4;
#pragma unroll 1
  for (int row = 0; row < PROBLEM_FILTER_HEIGHT; ++row) {
    Run<4, Element> met[kMet];
#pragma unroll
    for (int q = 0; q < kMet; ++q)
      met[q] =
          reinterpret_cast<const Run<4, Element>*>(window + row * (PROBLEM_DILATION_Y * kPitch))[q];
#pragma unroll
    for (int k = 0; k < kRowDepth; ++k) {
      Fragment fragment;
#pragma unroll
      for (int i = 0; i < THREAD_M; ++i) {
        const int element =
            (i * PROBLEM_STRIDE_X + k / kChannels * PROBLEM_DILATION_X) * kChannels + k % kChannels;
        fragment.a.runs[i].value[0] = met[element / 4].value[element % 4];
      }
#pragma unroll
      for (int j = 0; j < THREAD_N / 4; ++j)
        fragment.b.runs[j] = *reinterpret_cast<const Run<4, Element>*>(
            filters + ((row * kRowDepth + k) * BLOCK_N + column_offset(4 * j)));
      multiply_add(sums, fragment, 0);
    }
  }
}

// Writes a thread's sums, the first of which is that of the pixel `first`.
__device__ __forceinline__ void write_sums(const PixelOutput& output, const Tile& first,
                                           int first_filter, const Sums& sums) {
  const Output& image = output.output;
  const bool aligned = output.c.is_aligned<4>();
  const int pixel = (first.image * image.height + first.row) * image.width + first.column;
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
    for (int j = 0; j < THREAD_N; j += 4)
      if (first.row < image.height && first.column + i < image.width)
        output.write<4>(pixel + i, first_filter + column_offset(j), aligned,
                        {{sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]}});
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv_layer_window(const Element* __restrict__ image, const Element* __restrict__ prepared,
                      ElementOut* elements, Real alpha, Real beta, int batch, int channels_out,
                      int width, int height, int padding_x, int padding_y, int width_out,
                      int height_out EPILOGUE_PARAMETERS) {
  const PixelOutput output = pixel_output(
      {elements, channels_out, width_out, height_out, 1, alpha, beta, EPILOGUE_ARGUMENTS},
      batch * height_out * width_out, channels_out, 0);
  const Images images = {image,
                         (width_out + TILE_WIDTH - 1) / TILE_WIDTH,
                         (height_out + TILE_HEIGHT - 1) / TILE_HEIGHT,
                         width,
                         height,
                         padding_x,
                         padding_y};
  const int tiles = batch * images.tiles_down * images.tiles_across;
  auto* const filters = reinterpret_cast<Element*>(shared);
  Element* const pixels = filters + kFilterElements;

  // The groups of a thread's pixels are counted along the rows of a tile.
  const MatrixPlace place = thread_place(static_cast<int>(threadIdx.x));
  const int group = place.row / kWarpM * kLanesM + place.row % kWarpM;
  const int row = group / kThreadsInRow;
  const int column = group % kThreadsInRow * THREAD_M;
  const int first_filter = static_cast<int>(blockIdx.y) * BLOCK_N;

  int number = static_cast<int>(blockIdx.x);
  if (number < tiles) images.start(images.tile(number), pixels);
  wait_for_launch_ahead();  // it prepares the filters, if they are prepared in each call
  const Element* const own = prepared + static_cast<int>(blockIdx.y) * kFilterElements;
  for (int i = 4 * static_cast<int>(threadIdx.x); i < kFilterElements; i += 4 * kThreads)
    start_copy<4>(filters + i, own + i);
  end_copy_group();
  int reading = 0;
#pragma unroll 1
  for (; number < tiles; number += static_cast<int>(gridDim.x)) {
    const int next = number + static_cast<int>(gridDim.x);
    if (next < tiles) images.start(images.tile(next), pixels + (kTileElements - reading));
    end_copy_group();
    wait_for_copies_but<1>();
    __syncthreads();
    Sums sums = {};
    add_products(sums,
                 pixels + (reading + row * PROBLEM_STRIDE_Y * kPitch +
                           column * PROBLEM_STRIDE_X * kChannels),
                 filters + place.column);
    reading = kTileElements - reading;
    const Tile tile = images.tile(number);
    write_sums(output, {tile.image, tile.row + row, tile.column + column},
               first_filter + place.column, sums);
    __syncthreads();  // the tile after the next one takes the place of this one
  }
  wait_for_copies();
}
