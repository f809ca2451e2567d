// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// 3-D filters over volumes, any width, height, depth and pitch, 1 × 1 × 1 to 9 × 9 × 9 taps, odd or
// even along each axis, any anchor, volumes smaller than the filter included:
//   output[z][y][x] = sum over k, j, i of
//       filter[k][j][i] · volume[z + k − anchor_z][y + j − anchor_y][x + i − anchor_x]
// (taps in reverse order along all axes with flip = yes; ghost samples as boundary says). A block
// computes a tile of PLANES planes, one after the other. A thread computes OUTPUTS_X outputs side
// by side in OUTPUTS_Y rows, all in registers, and reads a row of a plane once for all outputs that
// need it. The planes that a block needs pass through shared memory, with their halo.
//
// BLOCK_X, BLOCK_Y      threads                              64 … 512 in all
// OUTPUTS_X, OUTPUTS_Y  outputs a thread in a plane          sums in at most 144 registers
// QUEUE    registers: a thread keeps the sums of filter_depth planes. Each plane that comes
//          contributes to all of them; then one is done, and a new one begins.
//          shared: shared memory keeps filter_depth planes, and a thread the sums of one
//          none: all planes that the block needs are in shared memory before it computes, with one
//          barrier; for small volumes
// PLANES   planes of the output that a block computes        1 …; with a queue 4 …, at run time
// LOADING  split: all threads copy a plane, the tile's own columns before the columns beside them
//          async: as split, by copies that go on meanwhile (cp.async, sm_80 and later)
//          bulk: as a box that one thread asks for (sm_90 and later); at a plane's edges with a
//          boundary other than zero as split; at most 256 columns and rows with the halo
// STAGES   planes in shared memory that are computed with or loaded; split: 1, or 2 for one barrier
//          a plane; async and bulk: 2 …
// VECTOR   elements of one access to global memory           1, 4, 8; divides pitch; 16 bytes with
//                                                            bulk; 8 with types of 16 bits only
// FILTER   value: the taps are a parameter by value and come as operands out of constant memory
//          shared: they are copied to shared memory
// UNROLL   rows of a plane of the filter whose code is written out, in a loop over the others
//          64: all
// MIN_BLOCKS  blocks that must fit on an SM at once, at the price of registers
//
// Compiled in: the filter's sizes, its anchor in x and y, boundary, flip, filters, type
// (filter_types.cuh); with FILTER = value and filters = per_channel also channels.
//
// Shared memory, dynamic: kSlots tiles, each rounded up to 128 bytes, of sums with split; the
// filter as sums if it is there.
//
// Registers: OUTPUTS_X · OUTPUTS_Y · D sums, where D is filter_depth with QUEUE = registers and
// else 1; a window of OUTPUTS_X + filter_width − 1; and about 30.
//
// Code: OUTPUTS_X · OUTPUTS_Y · filter_width · UNROLL · D multiply-adds.
//
// Grid: x = tiles across, y = tiles down, z = marches, each block taking every 65535th.
//
// For an output of w × h × d taps and a thread of X × Y outputs, whose row needs V = ⌈(X + w + 2) /
// 4⌉ vectors:
//                        registers                              shared, none
//   multiply-adds        w h d (1 + (d − 1) / PLANES)           w h d
//   vectors of samples   V (Y + h − 1) / (X Y)                  d times as many
//   out of shared memory (UNROLL < h: V h / X)
//   taps                 w h d / (X Y), two a load if UNROLL is all, else one
//   moves                none if UNROLL is all, else d − 1      none
//   bytes out of memory  4 (columns + w + 5) (rows + h − 1) (PLANES + d − 1)
//                        / (columns rows PLANES), of which the L2 has most of the halo
//
// So with 4 × 4 outputs, registers and 7³ taps, 100 multiply-adds come with 1.5 vectors (UNROLL =
// 1) and 6 single taps. With shared they come with 11 vectors, or 4 if all rows are written out. A
// vector of a warp takes shared memory four cycles, in which an SM does 16 multiply-adds of a warp.
// 3³ takes 0.11 ms of arithmetic in a 512³ volume's 0.25 ms of traffic, at 33 · 10¹² multiply-adds
// a second and 4.3 TB/s. 5³ takes 0.5 ms, 7³ 1.4 ms.
//
// After: Micikevicius, 3D finite difference computation on GPUs using CUDA, 2009 (planes through
// shared memory, the third axis in registers); Filipovič et al., A benchmark set of
// highly-efficient CUDA kernels, 2020 (3-D convolution by sliding planes).

#include "epilogue.cuh"
#include "filter_products.cuh"
#include "plane_stream.cuh"
#include "tile_writing.cuh"

constexpr int kSlots = TERM_SLOTS;

using Tile = PlaneTile<PROBLEM_ANCHOR_X, kTileColumns + PROBLEM_FILTER_WIDTH - 1,
                       kTileRows + PROBLEM_FILTER_HEIGHT - 1>;
using Stream = PlaneStream<Tile, kSlots>;
using Kept = Tile::Kept;
constexpr int kTileBytes = kSlots * Tile::kSlot * static_cast<int>(sizeof(Kept));

// The thread's rows of a tile (filter_products.cuh).
struct Rows {
  static constexpr int kShift = Tile::kShift;
  static constexpr int kWindow =
      round_up(kShift + OUTPUTS_X + PROBLEM_FILTER_WIDTH - 1, kRunOfOutputs);
  const Kept* first;

  __device__ __forceinline__ explicit Rows(const Kept* tile)
      : first(tile + thread_y() * OUTPUTS_Y * Tile::kPitch + thread_x() * OUTPUTS_X) {}

  __device__ __forceinline__ void read(Sum (&window)[kWindow], int row) const {
    read_samples<kRunOfOutputs>(window, first + row * Tile::kPitch);
  }
};

// Where a volume's outputs go, and through what.
struct Output {
  Element* samples;
  int width, height, pitch;
  int channel, batch;
  int first;  // place of the volume's first sample in the whole output
  Epilogue epilogue;

  // The thread's outputs in plane z of the tile whose first output is at (row, column).
  __device__ __forceinline__ void write(int z, int row, int column,
                                        const Sum (&sums)[OUTPUTS_Y][OUTPUTS_X]) const {
    const int place = z * height * pitch;
    const bool is_whole = row + kTileRows <= height && column + kTileColumns <= width;
    write_tile(
        {samples + place, width, height, pitch}, row + thread_y() * OUTPUTS_Y,
        column + thread_x() * OUTPUTS_X, is_whole, sums, [&](Sum sum, int y, int x) {
          return to<Element>(epilogue(sum, z, y, x, channel, batch, first + place + y * pitch + x));
        });
  }
};

// The tile of a block, and the planes of the output that it computes.
struct Work {
  int row, column, first, planes;
};

#if QUEUE == QUEUE_REGISTERS
__device__ __forceinline__ void filter_planes(Stream& stream, const Work& work, const Taps& taps,
                                              const Output& output) {
  constexpr int kLast = PROBLEM_FILTER_DEPTH - 1;
  Sum sums[kLast + 1][OUTPUTS_Y][OUTPUTS_X] =
      {};  // of the outputs that need tap plane 0, 1, … next
  const auto add = [&](int /*n*/, int slot) {
    add_products(sums, Rows(stream.tile(slot)), taps, 0);
  };
  const auto finish = [&](int n) {
    if (n >= kLast) output.write(work.first + n - kLast, work.row, work.column, sums[kLast]);
    move_on(sums);
  };
  visit_planes<STAGES - 1>(stream, add, finish);
}
#else
// Output number n. Planes that it needs lie in shared memory.
__device__ __forceinline__ void filter_plane(const Stream& stream, const Work& work,
                                             const Taps& taps, const Output& output, int n) {
  Sum sums[1][OUTPUTS_Y][OUTPUTS_X] = {};
  const int begin = max(n, stream.begin());
  const int end = min(n + PROBLEM_FILTER_DEPTH, stream.end());
  int slot = (begin - stream.begin()) % kSlots;
#pragma unroll 1
  for (int plane = begin; plane < end; ++plane) {
    add_products(sums, Rows(stream.tile(slot)), taps, plane - n);
    slot = Stream::after(slot);
  }
  output.write(work.first + n, work.row, work.column, sums[0]);
}

#if QUEUE == QUEUE_SHARED
__device__ __forceinline__ void filter_planes(Stream& stream, const Work& work, const Taps& taps,
                                              const Output& output) {
  constexpr int kLast = PROBLEM_FILTER_DEPTH - 1;
#pragma unroll
  for (int i = 0; i < STAGES - 1; ++i) stream.start_next();
#pragma unroll 1
  for (int n = 0; n < stream.count(); ++n) {
    if (n >= stream.begin() && n < stream.end()) stream.advance<STAGES - 1>();
    if (n >= kLast) filter_plane(stream, work, taps, output, n - kLast);
  }
}
#else
__device__ __forceinline__ void filter_planes(Stream& stream, const Work& work, const Taps& taps,
                                              const Output& output) {
  const int count = stream.end() - stream.begin();
#pragma unroll 1
  for (int i = 0; i < count; ++i) stream.start_next();
#pragma unroll 1
  for (int i = 0; i < count; ++i) stream.wait<0>(i);
  __syncthreads();
#pragma unroll 1
  for (int n = 0; n < work.planes; ++n) filter_plane(stream, work, taps, output, n);
}
#endif
#endif

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv3d_halo(const Element* __restrict__ samples,
#if LOADING == LOADING_BULK
                const __grid_constant__ TensorMap map,
#endif
                const __grid_constant__ FilterArgument filter, Element* __restrict__ output,
                int width, int height, int depth, int pitch, int anchor_z, int channels,
                int volumes, int planes EPILOGUE_PARAMETERS) {
  extern __shared__ __align__(128) Kept shared[];
#if LOADING == LOADING_BULK
  __shared__ BulkBarrier barriers[kSlots];
  Stream stream(shared, make_bulk_way(map, barriers));
#else
  Stream stream(shared, {});
#endif
  Sum* const copy = reinterpret_cast<Sum*>(reinterpret_cast<char*>(shared) + kTileBytes);
  const int marches = (depth + planes - 1) / planes;
  const int size = depth * height * pitch;
  const int row = static_cast<int>(blockIdx.y) * kTileRows;
  const int column = static_cast<int>(blockIdx.x) * kTileColumns;
#pragma unroll 1
  for (int index = static_cast<int>(blockIdx.z); index < marches * volumes;
       index += static_cast<int>(gridDim.z)) {
    if (index >= static_cast<int>(gridDim.z)) __syncthreads();  // shared memory is used anew
    const int volume = index / marches;
    const int first = index % marches * planes;
    const Work work = {row, column, first, min(planes, depth - first)};
    const Taps taps =
        take_taps(filter, kOwnFilters ? volume % channels * kTaps : 0, copy, thread_index());
    stream.start({samples + volume * size, width, height, depth, pitch, volume * depth},
                 {first - anchor_z, work.planes + PROBLEM_FILTER_DEPTH - 1, row - PROBLEM_ANCHOR_Y,
                  column - Tile::kLeft});
    const Output target = {output + volume * size,
                           width,
                           height,
                           pitch,
                           volume % channels,
                           volume / channels,
                           volume * size,
                           EPILOGUE_ARGUMENTS};
    filter_planes(stream, work, taps, target);
  }
}
