// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// One step of a star stencil of radius 1 to 4 over volumes of any width, height, depth and pitch,
// smaller than the star included:
//   output[z][y][x] = c0 · field[z][y][x] + sum over r = 1 … radius of
//                     cx[r] · (field[z][y][x − r] + field[z][y][x + r]) + likewise along y and z
// A launch is one step; between launches the values are in the output and a workspace in turn. A
// block computes a tile of PLANES planes, one after the other. Planes of the field pass through
// shared memory with their halo of `radius`; the third axis is in registers: a thread has the sums
// of 2 · radius + 1 planes, and each plane that comes contributes to all of them.
//
// BLOCK_X, BLOCK_Y      threads                              64 … 512 in all
// OUTPUTS_X, OUTPUTS_Y  outputs a thread in a plane          at most 16 in all
// PLANES   planes of the output that a block computes, at run time       4 …
// LOADING  split: all threads copy a plane, the tile's own columns before the columns beside them
//          async: as split, by copies that go on meanwhile (cp.async, sm_80 and later)
//          bulk: as a box that one thread asks for (sm_90 and later); at a plane's edges with a
//          boundary other than zero and fixed as split; at most 256 columns and rows with the halo
// STAGES   planes in shared memory that are computed with or loaded; split: 1, or 2 for one barrier
//          a plane; async and bulk: 2 …
// VECTOR   elements of one access to global memory           1, 4, 8; divides pitch; 16 bytes with
//                                                            bulk; 8 with types of 16 bits only
// MIN_BLOCKS  blocks that must fit on an SM at once, at the price of registers
//
// Compiled in: the radius, boundary, type (filter_types.cuh). Coefficients come by value.
// Shared memory, dynamic: STAGES tiles, each rounded up to 128 bytes, of sums with split.
// Registers: OUTPUTS_X · OUTPUTS_Y · (2 · radius + 1) sums, a window of OUTPUTS_X + 2 · radius + 3,
// and about 30.
// Grid: x = tiles across, y = tiles down, z = marches, each block taking every 65535th.
//
// For an output of radius R and a thread of 4 × Y:
//   operations              6 R + 1: 4 R + 1 in the plane, 2 R along z, which move sums on besides
//   vectors out of shared   (3 Y + 2 R) / (4 Y), because a row with both its sides is three: 0.9
//   for memory                  R = 1 and 1.25 for R = 4 with Y = 4 bytes out of memory     4
//   (columns + 8) (rows + 2 R) (PLANES + 2 R) / (columns rows PLANES), of
//                           which the L2 has most of the halo
//
// So a 512³ step of radius 4 takes 0.1 ms of arithmetic, at 33 · 10¹² operations a second, and 0.1
// ms of shared memory at 29 TB/s, beside 0.25 ms of traffic at 4.3 TB/s: device memory is the limit
// if its loads never pause.
//
// After: Micikevicius, 3D finite difference computation on GPUs using CUDA, 2009.

#include "copy.cuh"
#include "epilogue.cuh"
#include "star.cuh"

using Tile = PlaneTile<kRadius, kTileColumns + 2 * kRadius, kTileRows + 2 * kRadius>;
using Stream = PlaneStream<Tile, STAGES>;
using Kept = Tile::Kept;

// Where a volume's outputs go, and through what.
struct Output {
  Element* samples;
  int width, height, pitch;
  int volume;
  int first;  // place of the volume's first sample in the whole output
  Epilogue epilogue;

  // The thread's outputs in plane z of the tile whose first output is at (row, column).
  __device__ __forceinline__ void write(int z, int row, int column,
                                        const Sum (&sums)[OUTPUTS_Y][OUTPUTS_X]) const {
    const int place = z * height * pitch;
    const bool is_whole = row + kTileRows <= height && column + kTileColumns <= width;
    write_tile({samples + place, width, height, pitch}, row + thread_y() * OUTPUTS_Y,
               column + thread_x() * OUTPUTS_X, is_whole, sums, [&](Sum sum, int y, int x) {
                 return to<Element>(epilogue(sum, z, y, x, volume, first + place + y * pitch + x));
               });
  }
};

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    stencil3d_march(const Element* __restrict__ field,
#if LOADING == LOADING_BULK
                    const __grid_constant__ TensorMap map,
#endif
                    const __grid_constant__ Coefficients coefficients, Element* __restrict__ output,
                    int width, int height, int depth, int pitch, int volumes,
                    int planes EPILOGUE_PARAMETERS) {
  extern __shared__ __align__(128) Kept shared[];
#if LOADING == LOADING_BULK
  __shared__ BulkBarrier barriers[STAGES];
  Stream stream(shared, make_bulk_way(map, barriers));
#else
  Stream stream(shared, {});
#endif
  const int marches = (depth + planes - 1) / planes;
  const int size = depth * height * pitch;
  const int row = static_cast<int>(blockIdx.y) * kTileRows;
  const int column = static_cast<int>(blockIdx.x) * kTileColumns;
#pragma unroll 1
  for (int index = static_cast<int>(blockIdx.z); index < marches * volumes;
       index += static_cast<int>(gridDim.z)) {
    if (index >= static_cast<int>(gridDim.z)) __syncthreads();  // shared memory is used anew
    const int number = index / marches;
    const int first = index % marches * planes;
    const Volume volume = {field + number * size, width, height, depth, pitch, number * depth};
    const FixedPoints fixed(volume, row + thread_y() * OUTPUTS_Y, column + thread_x() * OUTPUTS_X);
    const Output target = {output + number * size, width, height, pitch, number, number * size,
                           EPILOGUE_ARGUMENTS};
    stream.start(volume, {first - kRadius, min(planes, depth - first) + 2 * kRadius, row - kRadius,
                          column - Tile::kLeft});
    Sum sums[kStar][OUTPUTS_Y][OUTPUTS_X] =
        {};  // of the outputs that need 1, 2, … planes more less
    const auto add = [&](int n, int slot) {
      const Kept* rows = stream.tile(slot) + (thread_y() * OUTPUTS_Y + kRadius) * Tile::kPitch +
                         thread_x() * OUTPUTS_X;
      Star<Tile::kPitch, Tile::kLeft, Kept>(rows, coefficients, fixed, first - kRadius + n)
          .add(sums);
    };
    const auto finish = [&](int n) {
      if (n >= 2 * kRadius) target.write(first + n - 2 * kRadius, row, column, sums[kStar - 1]);
      move_on(sums);
    };
    visit_planes<STAGES - 1>(stream, add, finish);
  }
}
