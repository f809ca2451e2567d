// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Several steps of a star stencil of radius 1 to 4 in one launch (stencil3d/march takes one), over
// volumes of any width, height, depth and pitch, smaller than the star included. A block marches
// through planes of a tile. What one step makes of them passes through shared memory to the next,
// so only the field is read and only the last step's values are written. Each step needs a halo of
// `radius`: a block computes its halo for all steps but the last, too. A plane of a step is done
// `radius` planes after the same plane of the step before came, and the next step takes it one
// plane later, so that one barrier a plane serves all steps.
//
// Beyond the volume, in each step: zeros with boundary = zero; with reflect, mirror and wrap what
// the steps make of the ghosts that the first one read, because steps of a star that is the same
// forwards and backwards keep these symmetries; with replicate likewise, for a radius of 1, where
// it is reflect.
//
// BLOCK_X, BLOCK_Y      threads                              64 … 512 in all
// OUTPUTS_X, OUTPUTS_Y  points a thread in a plane, of the tile with its halo
// FUSED    steps of a launch (LEVELS: of this one; the first launch takes what is left over)
// PLANES   planes of the output that a block computes, at run time       4 …
// LOADING, STAGES, VECTOR  how the field's planes are loaded, as in stencil3d/march; with bulk
//          `radius` rows of a tile are a multiple of 128 bytes
// MIN_BLOCKS  blocks that must fit on an SM at once, at the price of registers
//
// Compiled in: the radius, boundary, type (filter_types.cuh). Coefficients come by value. No
// epilogue.
//
// Shared memory, dynamic: tiles with `radius` rows and 128 bytes before and after, rounded up to
// 128 bytes: STAGES of the field, two of sums for each step but the last.
//
// Registers: OUTPUTS_X · OUTPUTS_Y · (2 · radius + 1) · LEVELS sums, a window of OUTPUTS_X +
// 2 · radius + 3, and about 40.
//
// Grid: x = tiles across, y = tiles down, z = marches, each block taking every 65535th.
//
// When it wins, for radius R and F steps, a tile of X × Y points with a halo of h = R F in y, and
// in x of h rounded up to a vector, and P = PLANES: of all points the share
//   u = (1 − 2 h / X) (1 − 2 h / Y) P / (P + 2 h + F)
// is of use. A point of a step takes, with 4 × 2 points a thread,
//   (4 / u + 4) / F     bytes of device memory instead of 8, if no halo comes from the L2
//   (6 R + 1) / u       operations
//   (16 + 4 R) / u      bytes of shared memory: reads with halos, and the write for the next step
// An H200 moves 4.3 TB/s, does 33 · 10¹² multiply-adds a second, and reads 29 TB/s of shared
// memory. How many times faster than single steps that device memory limits, by each limit, with
// 128 × 32 points and P = 128:
//                u      device memory   shared memory   arithmetic
//   R = 1, F = 2 0.78   1.8             2.1             7
//          F = 3 0.71   2.5             1.9             6
//          F = 4 0.64   3.1             1.7             6
//   R = 2, F = 2 0.65   1.6             1.5             3
//   R = 4, F = 2 0.38   1.1             0.6             0.9
// So two or three steps of radius 1 pay, two of radius 2 may, and a larger star's do not. Single
// steps of volumes that the L2 holds have less to gain.
//
// After: Nguyen et al., 3.5-D blocking optimization for stencil computations on modern CPUs and
// GPUs, 2010; Matsumura et al., AN5D: automated stencil framework for high-degree temporal blocking
// on GPUs, 2020.

// Steps keep the symmetry of reflect, which for a radius of 1 is the same.
#if PROBLEM_BOUNDARY == BOUNDARY_REPLICATE
#if PROBLEM_RADIUS > 1
#error "boundary = replicate needs a radius of 1"
#endif
#undef PROBLEM_BOUNDARY
#define PROBLEM_BOUNDARY BOUNDARY_REFLECT
#endif

#include "star.cuh"

#if !defined(LEVELS)
#define LEVELS FUSED
#endif

constexpr int kHaloRows = kRadius * LEVELS;
constexpr int kHaloColumns = round_up(kHaloRows, VECTOR < 4 ? 4 : VECTOR);
constexpr int kOwnRows = kTileRows - 2 * kHaloRows;
constexpr int kOwnColumns = kTileColumns - 2 * kHaloColumns;

using Tile = PlaneTile<0, kTileColumns, kTileRows, kRadius>;
using Stream = PlaneStream<Tile, STAGES>;
using Kept = Tile::Kept;
constexpr int kFieldBytes = STAGES * Tile::kSlot * static_cast<int>(sizeof(Kept));

// Values between steps: two tiles of sums before each step but the first, with margins as the
// field's tiles have them.
constexpr int kMargin = kRadius * kTileColumns + 128 / static_cast<int>(sizeof(Sum));
constexpr int kBetween =
    round_up((kTileRows * kTileColumns + 2 * kMargin) * static_cast<int>(sizeof(Sum)), 128) /
    static_cast<int>(sizeof(Sum));

// The place of a thread's first point in a tile, and how much before it its window begins.
constexpr int kBefore = round_up(kRadius, kRunOfOutputs);
__device__ __forceinline__ int own_place() {
  return thread_y() * OUTPUTS_Y * kTileColumns + thread_x() * OUTPUTS_X;
}

// One march of a block, as a thread sees it.
struct Work {
  const Volume& volume;
  const Coefficients& c;
  const FixedPoints& fixed;
  Sum* between;     // the tiles of the second step, of the third, …
  Element* output;  // the volume's first
  int row, column;  // of the thread's first point
  int first;        // plane that is written first

  // Which plane the step of that number, from 0 on, takes when plane n of the march comes.
  __device__ __forceinline__ int plane(int level, int n) const {
    return first - kHaloRows + n - level * (kRadius + 1);
  }
  // The thread's first point in the tile that step `level` takes when plane n + 1 comes.
  __device__ __forceinline__ Sum* points(int level, int n) const {
    return between + ((2 * level - 2 + (n & 1)) * kBetween + kMargin + own_place());
  }
};

using PlaneSums = Sum[OUTPUTS_Y][OUTPUTS_X];
using StarSums = Sum[kStar][OUTPUTS_Y][OUTPUTS_X];

// Gives what a step has made of plane z to the next. What is zero beyond the volume stays so.
__device__ __forceinline__ void hand_on(const Work& work, Sum* points, int z,
                                        const PlaneSums& values) {
#pragma unroll
  for (int y = 0; y < OUTPUTS_Y; ++y) {
    const bool exists =
        z >= 0 && z < work.volume.depth && work.row + y >= 0 && work.row + y < work.volume.height;
#pragma unroll
    for (int x = 0; x < OUTPUTS_X; x += kRunOfOutputs) {
      Run<kRunOfOutputs, Sum> run;
#pragma unroll
      for (int v = 0; v < kRunOfOutputs; ++v) {
        const int column = work.column + x + v;
        const bool is_zero =
            kGhostsAreZero && !(exists && column >= 0 && column < work.volume.width);
        run.value[v] = is_zero ? Sum(0) : values[y][x + v];
      }
      *reinterpret_cast<Run<kRunOfOutputs, Sum>*>(points + (y * kTileColumns + x)) = run;
    }
  }
}

// Writes those of the last step's values of plane z that are the block's own.
__device__ __forceinline__ void write_plane(const Work& work, int z, const PlaneSums& values) {
  const int x = thread_x() * OUTPUTS_X;
  const int y = thread_y() * OUTPUTS_Y;
  if (x < kHaloColumns || x >= kTileColumns - kHaloColumns) return;
  const Volume& volume = work.volume;
  const int begin = work.row - y + kHaloRows;
  const int end = min(begin + kOwnRows, volume.height);
  const bool is_whole =
      work.row >= begin && work.row + OUTPUTS_Y <= end && work.column + OUTPUTS_X <= volume.width;
  write_tile(
      {work.output + z * volume.height * volume.pitch, volume.width, end, volume.pitch, begin},
      work.row, work.column, is_whole, values, [](Sum sum, int, int) { return to<Element>(sum); });
}

// A plane of step LEVEL is done, when plane n of the march has come.
template <int LEVEL>
__device__ __forceinline__ void finish_plane(const Work& work, int n, StarSums& sums) {
  const int z = work.plane(LEVEL, n) - kRadius;
  if (LEVEL + 1 < LEVELS)
    hand_on(work, work.points(LEVEL + 1, n), z, sums[kStar - 1]);
  else if (z >= work.first)
    write_plane(work, z, sums[kStar - 1]);
  move_on(sums);
}

// All steps from LEVEL on, the last one first, take what was handed on when plane n − 1 came.
template <int LEVEL>
__device__ __forceinline__ void take_planes(const Work& work, int n, StarSums (&sums)[LEVELS]) {
  if constexpr (LEVEL < LEVELS) {
    take_planes<LEVEL + 1>(work, n, sums);
    Star<kTileColumns, kBefore, Sum>(work.points(LEVEL, n - 1) - kBefore, work.c, work.fixed,
                                     work.plane(LEVEL, n))
        .add(sums[LEVEL]);
    finish_plane<LEVEL>(work, n, sums[LEVEL]);
  }
}

__device__ __forceinline__ void run_steps(Stream& stream, const Work& work) {
  StarSums sums[LEVELS] = {};  // of the outputs that need all planes still, all but one, …
  const auto finish = [&](int n) {
    take_planes<1>(work, n, sums);
    finish_plane<0>(work, n, sums[0]);
  };
#pragma unroll
  for (int i = 0; i < STAGES - 1; ++i) stream.start_next();
#pragma unroll 1
  for (int n = 0; n < stream.begin(); ++n) {
    __syncthreads();
    finish(n);
  }
#pragma unroll 1
  for (int n = stream.begin(); n < stream.end(); ++n) {
    const Kept* tile = stream.tile(stream.advance<STAGES - 1>());
    Star<kTileColumns, kBefore, Kept>(tile + (own_place() - kBefore), work.c, work.fixed,
                                      work.plane(0, n))
        .add(sums[0]);
    finish(n);
  }
#pragma unroll 1
  for (int n = stream.end(); n < stream.count() + LEVELS - 1; ++n) {
    __syncthreads();
    finish(n);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    stencil3d_fused_steps(const Element* __restrict__ field,
#if LOADING == LOADING_BULK
                          const __grid_constant__ TensorMap map,
#endif
                          const __grid_constant__ Coefficients coefficients,
                          Element* __restrict__ output, int width, int height, int depth, int pitch,
                          int volumes, int planes) {
  extern __shared__ __align__(128) Kept shared[];
#if LOADING == LOADING_BULK
  __shared__ BulkBarrier barriers[STAGES];
  Stream stream(shared, make_bulk_way(map, barriers));
#else
  Stream stream(shared, {});
#endif
  const int marches = (depth + planes - 1) / planes;
  const int size = depth * height * pitch;
  const int row = static_cast<int>(blockIdx.y) * kOwnRows - kHaloRows;
  const int column = static_cast<int>(blockIdx.x) * kOwnColumns - kHaloColumns;
#pragma unroll 1
  for (int index = static_cast<int>(blockIdx.z); index < marches * volumes;
       index += static_cast<int>(gridDim.z)) {
    if (index >= static_cast<int>(gridDim.z)) __syncthreads();  // shared memory is used anew
    const int number = index / marches;
    const int first = index % marches * planes;
    const Volume volume = {field + number * size, width, height, depth, pitch, number * depth};
    const int own_row = row + thread_y() * OUTPUTS_Y;
    const int own_column = column + thread_x() * OUTPUTS_X;
    const FixedPoints fixed(volume, own_row, own_column);
    stream.start(volume,
                 {first - kHaloRows, min(planes, depth - first) + 2 * kHaloRows, row, column});
    run_steps(stream, {volume, coefficients, fixed,
                       reinterpret_cast<Sum*>(reinterpret_cast<char*>(shared) + kFieldBytes),
                       output + number * size, own_row, own_column, first});
  }
}
