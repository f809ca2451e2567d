// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// y[r][c] = x[r − 1][c] + x[r + 1][c] / 2 in every plane of FP32 numbers, zeros beyond its
// edges. A block has its tile and the neighbours come as one box and goes on with the same tile of
// another plane.
//
// BOX_X, BOX_Y  columns of a box and its tile; rows, two more than   at most 256; BOX_X % 4 == 0
//               a tile's
// RANK          dimensions of the tensor map                        2 (one plane only), 3
// SWIZZLE       permutation of a box's rows, in bytes               0, or 4 · BOX_X up to 128
// PROMOTE       passed on to the map                                0, 64, 128, 256
//
// Shared memory: 4 · BOX_X · BOX_Y bytes and a barrier. Registers: about 32.
// Grid: x = tiles across, y = tiles down, z = planes, each block taking every gridDim.z-th.
// After: NVIDIA, CUDA C++ Programming Guide, bulk tensor copies.

#include "bulk_copy.cuh"

constexpr int kRows = BOX_Y - 2;

__device__ __forceinline__ float element(const unsigned char* box, int row, int column) {
  const unsigned offset = static_cast<unsigned>(row * BOX_X + column) * 4;
  return *reinterpret_cast<const float*>(box + swizzled<SWIZZLE>(offset));
}

extern "C" __global__ void neighbours(const __grid_constant__ TensorMap map, float* y, int width,
                                      int height, int planes) {
  __shared__ __align__(1024) unsigned char box[4 * BOX_X * BOX_Y];
  __shared__ BulkBarrier barrier;
  const int thread = static_cast<int>(threadIdx.x);
  const int left = static_cast<int>(blockIdx.x) * BOX_X;
  const int top = static_cast<int>(blockIdx.y) * kRows;
  if (thread == 0) {
    prefetch_map(map);
    init_barrier(&barrier);
  }
  __syncthreads();

  unsigned parity = 0;
  for (int plane = static_cast<int>(blockIdx.z); plane < planes;
       plane += static_cast<int>(gridDim.z)) {
    if (thread == 0) {
      expect_bytes(&barrier, sizeof box);
#if RANK == 3
      start_box(box, map, left, top - 1, plane, &barrier);
#else
      start_box(box, map, left, top - 1, &barrier);
#endif
    }
    wait_for_bytes(&barrier, parity);
    parity ^= 1;
    for (int i = thread; i < kRows * BOX_X; i += static_cast<int>(blockDim.x)) {
      const int row = i / BOX_X;
      const int column = i % BOX_X;
      if (top + row < height && left + column < width)
        y[(static_cast<long long>(plane) * height + top + row) * width + left + column] =
            element(box, row, column) + 0.5f * element(box, row + 2, column);
    }
    __syncthreads();
  }
}
