// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// A layer of one to three dimensions as a product, by the tensor cores of compute capability 9.0:
// rows are the pixels of the output, columns its channels, K is the taps with all channels of each.
// Two threads of a block copy chunks of channels to a ring of stages in shared memory, by tensor
// maps: the map of the image, in im2col mode, finds the pixels that a tap meets, with any strides
// and dilations, and zeros beyond the image. One to three warp groups multiply them with wgmma and
// keep the sums in registers. A filter of one tap that meets every pixel is a plain product.
//
// PATCHES             what of an image counts as the channels of a pixel:      taps, rows, whole,
//                     these; or with strides of the filter's size what a row   packed
//                     of taps meets, all of a whole image, or what packing.cu
//                     copied of a patch
// BLOCK_M, BLOCK_N    pixels and channels of the output of a block: the left   8 … 256
//                     side (below) a multiple of 64 for each that shares it
// CHUNK_BYTES          bytes of channels in a chunk                             32, 64, 128
// SPANS_K             chunks in a stage, which may be of several taps          1 … 8
// STAGES              stages of the ring                                       2 …
// SCHEDULE            one warp group multiplies (single), two (cooperative)    single, cooperative,
//                     or three share a tile, or two take tiles in turn         pingpong, three
//                     (pingpong; with PERSISTENT)
// SWAPPED             left, feeding the 64 rows of a multiplication, are       no, yes
//                     channels instead of pixels
// PIECES              multiplications that share the right side, so that       1, 2
//                     each needs fewer registers
// IN_FLIGHT           stages whose products are under way                      1, 2
// STORE               each thread stores its own sums, or boxes of shared      direct, bulk
//                     memory go to the output by a tensor map
// PERSISTENT          a block computes tiles until none is left                no, yes
// GROUP, RASTER       order of tiles: tiles.cuh                                1 …; rows, columns
// CLUSTER_M           blocks that share the filters that they load             1, 2, 4
// SPLIT_K             blocks that share a tile, each with its part of K; they  1 …; not with
//                     store directly                                           PERSISTENT
// REDUCTION           who adds their sums: all of them as a cluster, or the    cluster, block
//                     last one, through memory
// DEPENDENT           the launch may begin before the one ahead ends           no, yes
// MIN_BLOCKS          blocks that must fit on an SM at once                    1, 2
// PROBLEM_LAYOUT, PROBLEM_ACCUMULATE   the problem's choices; with nchw, both maps and `copy` are
//                     of copies in nhwc: arranging.cu
// TYPE, TYPE_OUT, PROBLEM_PRECISION    types.cuh: 16 bits, float8, int8, or float32 whose lower 13
//                     bits are cut. Sums are of float32 (int8: int32).
// TERM_IS_PRODUCT     whether the filter has one tap that meets every pixel
// TERM_RANK           2: images and signals; 3: volumes
//
// Shared memory, bytes: STAGES · SPANS_K · CHUNK_BYTES · (BLOCK_M + BLOCK_N), or 4 · BLOCK_M ·
// BLOCK_N for split sums in a cluster if that is more; 16384 for each consumer with STORE bulk; 16
// · STAGES. Registers: BLOCK_M · BLOCK_N / (128 · consumers that share a tile) sums, twice that for
// float8, + about 40; the loading warps give theirs to the others. Grid: x = cluster tiles · blocks
// of a cluster, or fewer with PERSISTENT; y = parts of K that are no cluster. Workspace:
// split_sums.cuh. After: NVIDIA, PTX ISA, tensors, im2col mode; and as gemm/wgmma.

#include "dependent_launch.cuh"
#include "loading.cuh"
#include "output.cuh"

// With rows of patches, each row of the output is that of an image of its own.
#if PATCHES == PATCHES_ROWS
#define ROWS_PARAMETER int rows_out,
#define ROWS_OUT rows_out
#else
#define ROWS_PARAMETER
#define ROWS_OUT height_out
#endif

// The output, as storing.cuh wants it.
struct Result {
  using Element = ElementOut;
  using Real = ::Real;
  static constexpr bool kBulk = STORE == STORE_BULK;
  static constexpr bool kSwapped = ::kSwapped;
  static constexpr int kBoxRows = TERM_BOX_ROWS;
  static constexpr int kBoxColumns = TERM_BOX_COLUMNS;
  static constexpr int kBoxesAt = TERM_RING_BYTES;
  static constexpr bool kReadsOld = PROBLEM_ACCUMULATE != ACCUMULATE_NO;
};

// A group's channels of all pixels. Beyond them a value is any number, by the rules of the nearest
// element.
struct GroupOutput : Output {
  Matrix<ElementOut> c;
  int first_channel;

  __device__ __forceinline__ Real value(int row, int column, Real sum) const {
    row = min(row, c.rows - 1);
    column = first_channel + min(column, c.columns - 1);
    const int in_nhwc = row * c.pitch + column;
    const Place place = place_in_nhwc(in_nhwc);
    return result(place, index_of(place, in_nhwc), sum);
  }
};

constexpr int kThreads = (1 + Pipeline::kConsumers) * kGroupThreads;
using OwnRegisters = Registers<Pipeline::kConsumers, MIN_BLOCKS>;
using LayerTiles = Tiles<Pipeline::Place, BLOCK_M, BLOCK_N, GROUP, RASTER == RASTER_ROWS>;

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS) conv_layer_im2col(
    const __grid_constant__ TensorMap map_image, const __grid_constant__ TensorMap map_filter,
    MAP_C_PARAMETER ElementOut* elements, Real alpha, Real beta, int batch, int channels_in,
    int channels_out, int groups, int filter_width, int filter_height, int stride_x, int stride_y,
    int dilation_x, int dilation_y, int padding_x, int padding_y, int width_out, int height_out,
    ROWS_PARAMETER VOLUME_PARAMETERS Counter* workspace COPY_PARAMETER EPILOGUE_PARAMETERS) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
  const auto place = Pipeline::Place::here();
  const int pixels = width_out * height_out * depth_out * batch;
  const int columns = channels_out / groups;
  const Taps taps = {filter_width, filter_height, filter_depth, channels_in / groups, stride_x,
                     stride_y,     stride_z,      dilation_x,   dilation_y,           dilation_z,
                     padding_x,    padding_y,     padding_z};
  const Work<LayerTiles, Pipeline::Place> work = {
      {pixels, columns, groups, place}, steps_of<SPLIT_K>(taps.steps(), place.part), place};
  prepare_ring<Pipeline>(map_image, map_filter);
  if constexpr (DEPENDENT == DEPENDENT_YES) {
    allow_launch_behind();
    wait_for_launch_ahead();
  }
  if (warp_group_number() == 0) {
    OwnRegisters::give();
    if (threadIdx.x == 0)
      load_all(PixelBoxLoader(map_image, taps, width_out, height_out, depth_out, batch), work);
    else if (threadIdx.x == 32)
      load_all(FilterLoader(map_filter, taps, columns, place), work);
    end_loading<Pipeline::Place>();
  } else {
    OwnRegisters::take();
    const Epilogue epilogue = EPILOGUE_ARGUMENTS;
    multiply_and_store<Pipeline, Result>(work, MAP_C, workspace, [&](int group) -> GroupOutput {
      const int first = group * columns;
      return {{elements, channels_out, width_out, ROWS_OUT, depth_out, alpha, beta, epilogue},
              {WRITTEN(elements) + first, pixels, columns, channels_out},
              first};
    });
  }
  if constexpr (Pipeline::Place::kParts > 1)
    synchronise_cluster();  // others still read this block's sums
#endif
}
