// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Separable 2-D filters over planes of images as conv2d_separable/two_pass computes them, in one
// launch. A block marches down a strip of the image, row by row. A thread filters OUTPUTS_X
// adjacent columns: of each row it sums the products with the row filter, and adds that sum, times
// each tap of the column filter, to the outputs that are under way, one of which is then complete.
// A multiply-add whose target is the register of the output before also moves the ring: it costs
// nothing, and no filtered row goes through shared memory.
//
// BLOCK      threads, side by side along a row            32 … 256
// OUTPUTS_X  adjacent columns of a thread                 1, 2, 4
// STRIP      rows of outputs of a block, at least: with what is needed above, stages are filled
// STAGE_ROWS rows of the image that are loaded together; the threads wait once for each stage
// STAGES     buffers for them: STAGES − 1 are loaded ahead
// LOADING  cooperative: all threads copy rows through registers; STAGES = 2
//          async: by copies that go on meanwhile (cp.async, sm_80 and later)
//          bulk: as boxes that one thread asks for (sm_90 and later); at an image's edges with a
//          boundary other than zero by all threads; at most 256 columns with the halo
//          cache: no shared memory; threads read rows through the cache, and wait for nobody
// VECTOR   elements of one access to global memory        1, 4; divides pitch; 4 with bulk
// FILTER   value: the taps are parameters by value and come as operands out of constant memory
//          shared: they are copied to shared memory
// STEP     taps of the row filter whose code is written out, the others being a loop around it; the
//          column filter is always written out, because its ring is registers
// UNROLL   rows whose code is written out
// MIN_BLOCKS  blocks that must fit on an SM at once, at the price of registers
//
// Compiled in: as in two_pass.
// Shared memory, dynamic: STAGES · STAGE_ROWS rows of samples, each with its halo, but with LOADING
// = cache; the filters as sums if they are there.
// Registers: OUTPUTS_X · (filter_height − 1) for the ring, min(STEP, filter_width) + 2 · OUTPUTS_X
// and about 40: 96 for 17 × 17 taps and 128 for 25 × 25 with four columns and bulk (sm_90). Useful
// up to 37 rows of taps with OUTPUTS_X = 4 and up to 73 with 2. With 1, which has no such limit, a
// row is read from shared memory once for each of its products.
//
// Traffic of an output, where h = 1 + (filter_height − 1) / STRIP is how often a row is filtered:
//   multiply-adds              h · filter_width + filter_height
//   reads of shared memory     h · (filter_width + OUTPUTS_X − 1) / OUTPUTS_X
//   elements of global memory  h · (1 + (filter_width − 1) / columns of a block) read, 1 written
// An SM of an H200 takes 1/128 cycle for a multiply-add, 1/32 for a read of shared memory, and
// about 8/15 for an element read and one written (a copy). For 17 × 17 taps, four columns and
// strips of 64 rows that is 0.30, 0.20 and 0.53: memory is the limit, if stages are loaded ahead.
// Rows above a strip and columns beside a block are mostly in the L2.
//
// Grid: x = blocks across, y = strips, z = planes, each block taking every 65535th.
//
// After: Micikevicius, 3D finite difference computation on GPUs using CUDA, 2009 (marching with a
// queue in registers); the transposed form of finite filters (Oppenheim and Schafer, Discrete-Time
// Signal Processing, chapter 6).

#include "outputs.cuh"
#include "sums.cuh"

#if LOADING == LOADING_BULK
#include "bulk_tile_loading.cuh"
#else
#include "tile_loading.cuh"
#endif

using Block = BlockOf<BLOCK, 1>;

constexpr bool kCache = LOADING == LOADING_CACHE;
constexpr bool kAsync = LOADING == LOADING_ASYNC;
constexpr bool kBulk = LOADING == LOADING_BULK;
constexpr int kTileColumns = BLOCK * OUTPUTS_X;
constexpr int kAbove = PROBLEM_FILTER_HEIGHT - 1;  // rows that complete no output of the strip
constexpr int kStages = (STRIP + kAbove + STAGE_ROWS - 1) / STAGE_ROWS;  // of a whole strip
constexpr int kStripRows = kStages * STAGE_ROWS - kAbove;

using Stage = RowLayout<Block, OUTPUTS_X, STAGE_ROWS, kAsync, kBulk>;
using Kept = Stage::Kept;
constexpr int kStageBytes =
    kCache ? 0 : round_up(STAGE_ROWS * Stage::kPitch * static_cast<int>(sizeof(Kept)), 128);
constexpr int kStageElements = kStageBytes / static_cast<int>(sizeof(Kept));

__device__ __forceinline__ int own_column() {
  return Block::x() * OUTPUTS_X;
}

// The outputs of a thread's columns that are under way, the next one to be complete first.
struct Ring {
  Sum sums[kAbove > 0 ? kAbove : 1][OUTPUTS_X];

  // Takes a filtered row in, and gives the output that it completes.
  __device__ __forceinline__ void push(Sum (&row)[OUTPUTS_X], const ColumnTaps& taps) {
    Sum complete[OUTPUTS_X];
    Sum own[round_up(PROBLEM_FILTER_HEIGHT, 4)];
#pragma unroll
    for (int tap = 0; tap < PROBLEM_FILTER_HEIGHT; tap += 4) {
      const Run<4, Sum> run = taps.read(tap);
#pragma unroll
      for (int v = 0; v < 4; ++v) own[tap + v] = run.value[v];
    }
#pragma unroll
    for (int x = 0; x < OUTPUTS_X; ++x) {
      complete[x] = own[kAbove] * row[x];
      if (kAbove > 0) complete[x] += sums[0][x];
    }
#pragma unroll
    for (int y = 0; y + 1 < kAbove; ++y)
#pragma unroll
      for (int x = 0; x < OUTPUTS_X; ++x)
        sums[y][x] = sums[y + 1][x] + own[kAbove - 1 - y] * row[x];
#pragma unroll
    for (int x = 0; x < OUTPUTS_X; ++x) {
      if (kAbove > 0) sums[kAbove > 0 ? kAbove - 1 : 0][x] = own[0] * row[x];
      row[x] = complete[x];
    }
  }
};

// Where a strip lies: rows of the image from `row` on, columns that are kept from `column` on.
struct Strip {
  const Plane& plane;
  int row, column;
};

// Loads the stages of a strip, each into the buffer of the one STAGES before. All threads call all
// functions together.
#if LOADING == LOADING_BULK
class StageLoader {
 public:
  __device__ __forceinline__ StageLoader(const TensorMap& map, BulkBarrier* barriers)
      : map_(map), barriers_(barriers) {
    if (Block::index() == 0)
      for (int buffer = 0; buffer < STAGES; ++buffer) init_barrier(barriers + buffer);
    __syncthreads();
  }

  __device__ __forceinline__ void start(Kept* buffers, int buffer, const Strip& strip, int stage) {
    const int row = strip.row + stage * STAGE_ROWS;
    Kept* const target = buffers + buffer * kStageElements;
    if (!comes_as_box<Stage, STAGE_ROWS>(strip.plane, row, strip.column)) {
      load_rows<Stage, Reach::ghosts, STAGE_ROWS>({target, 0, strip.plane, row, strip.column});
      proxy_fence();
    } else if (Block::index() == 0) {
      start_tile<Stage>(target, 0, map_, strip.plane, row, strip.column, barriers_ + buffer);
    }
  }

  // Until a stage is there, and no thread reads the one before any more.
  __device__ __forceinline__ void finish(int buffer, const Strip& strip, int stage) {
    if (comes_as_box<Stage, STAGE_ROWS>(strip.plane, strip.row + stage * STAGE_ROWS,
                                        strip.column)) {
      wait_for_bytes(barriers_ + buffer, parities_ >> buffer & 1);
      parities_ ^= 1U << buffer;
    }
    __syncthreads();
  }

 private:
  const TensorMap& map_;
  BulkBarrier* barriers_;
  unsigned parities_ = 0;  // a bit for each buffer: of its next copy
};
#else
struct StageLoader {
  __device__ __forceinline__ void start(Kept* buffers, int buffer, const Strip& strip, int stage) {
    load_rows<Stage, STAGE_ROWS>({buffers + buffer * kStageElements, 0, strip.plane,
                                  strip.row + stage * STAGE_ROWS, strip.column});
  }

  __device__ __forceinline__ void finish(int /*buffer*/, const Strip& /*strip*/, int /*stage*/) {
    if (kAsync) wait_for_copies_but<STAGES - 2>();
    __syncthreads();
  }
};
#endif

// What all threads of a march know.
struct March {
  const Output& output;
  const RowTaps& row_taps;
  const ColumnTaps& column_taps;
  int first;  // the strip's first row of outputs
  int end;    // behind its last one
  int column;
};

// One row of samples, `number` of the strip.
template <class Row>
__device__ __forceinline__ void filter_row(Ring& ring, const March& march, const Plane& plane,
                                           const Row& row, int number) {
  Sum sums[1][OUTPUTS_X] = {};
  add_row_products<Stage::kShift>(sums[0], row, march.row_taps);
  ring.push(sums[0], march.column_taps);
  const int complete = march.first + number - kAbove;
  if (number >= kAbove && complete < march.end)
    write_outputs(march.output, plane, complete, march.column, sums);
}

constexpr int kUnroll = UNROLL;  // a pragma takes no macro

#if LOADING == LOADING_CACHE
template <bool INTERIOR>
__device__ __forceinline__ void filter_strip(const Strip& strip, const March& march) {
  Ring ring = {};
  const int rows = march.end - march.first + kAbove;
#pragma unroll kUnroll
  for (int number = 0; number < rows; ++number)
    filter_row(ring, march, strip.plane,
               CachedRow<OUTPUTS_X, INTERIOR>{strip.plane, strip.row + number,
                                              strip.column + own_column()},
               number);
}

__device__ __forceinline__ void filter_strip(const Strip& strip, const March& march,
                                             Kept* /*buffers*/, StageLoader& /*loader*/) {
  if (is_interior<Stage, kStripRows + kAbove>(strip.plane, strip.row, strip.column))
    filter_strip<true>(strip, march);
  else
    filter_strip<false>(strip, march);
}
#else
__device__ __forceinline__ void filter_strip(const Strip& strip, const March& march, Kept* buffers,
                                             StageLoader& loader) {
  Ring ring = {};
  const int stages = (march.end - march.first + kAbove + STAGE_ROWS - 1) / STAGE_ROWS;
#pragma unroll 1
  for (int ahead = 0; ahead < STAGES - 1; ++ahead) {
    if (ahead < stages) loader.start(buffers, ahead, strip, ahead);
    if (kAsync) end_copy_group();
  }
  int buffer = 0;
#pragma unroll 1
  for (int stage = 0; stage < stages; ++stage) {
    loader.finish(buffer, strip, stage);
    const int next = stage + STAGES - 1;
    if (next < stages) loader.start(buffers, buffer == 0 ? STAGES - 1 : buffer - 1, strip, next);
    if (kAsync) end_copy_group();
    const Kept* const samples = buffers + (buffer * kStageElements + own_column());
#pragma unroll kUnroll
    for (int row = 0; row < STAGE_ROWS; ++row)
      filter_row(ring, march, strip.plane,
                 SharedRow<OUTPUTS_X, Kept>{samples + Stage::place(row, 0)},
                 stage * STAGE_ROWS + row);
    buffer = buffer == STAGES - 1 ? 0 : buffer + 1;
  }
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    separable_march(const Element* __restrict__ image,
#if LOADING == LOADING_BULK
                    const __grid_constant__ TensorMap map,
#endif
                    const __grid_constant__ RowFilter row_filter,
                    const __grid_constant__ ColumnFilter column_filter,
                    Element* __restrict__ output, int width, int height, int pitch, int channels,
                    int planes EPILOGUE_PARAMETERS) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* const buffers = reinterpret_cast<Kept*>(shared);
  auto* const copy = reinterpret_cast<Sum*>(shared + STAGES * kStageBytes);
#if LOADING == LOADING_BULK
  __shared__ BulkBarrier barriers[STAGES];
  StageLoader loader(map, barriers);
#else
  StageLoader loader;
#endif
  const Planes all = {image, output, width, height, pitch, channels};
  const int first = static_cast<int>(blockIdx.y) * kStripRows;
  const int column = static_cast<int>(blockIdx.x) * kTileColumns;
#pragma unroll 1
  for (int index = static_cast<int>(blockIdx.z); index < planes;
       index += static_cast<int>(gridDim.z)) {
    if (index >= static_cast<int>(gridDim.z)) __syncthreads();  // shared memory is used anew
    const int channel = index % channels;
    const RowTaps row_taps = take_taps<PROBLEM_FILTER_WIDTH, Block>(row_filter, channel, copy);
    const ColumnTaps column_taps =
        take_taps<PROBLEM_FILTER_HEIGHT, Block>(column_filter, channel, copy + kRowTapPlaces);
    if (kCache && FILTER == FILTER_SHARED) __syncthreads();
    const Plane plane = all.plane(index);
    const Output target = all.target(index, EPILOGUE_ARGUMENTS);
    const int end = smaller(first + kStripRows, height);
    const March march = {target, row_taps, column_taps, first, end, column + own_column()};
    filter_strip({plane, first - PROBLEM_ANCHOR_Y, column - Stage::kLeft}, march, buffers, loader);
  }
}
