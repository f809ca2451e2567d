// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// y[r][c] = −x[r + 1][c] for floating-point numbers of 16 bits, zeros beyond the last row, in two
// launches: the first negates boxes of x in shared memory and stores them in the workspace, the
// second takes them from there to y. Both know only the bits.
//
// BOX_X, BOX_Y  columns and rows of a box                       BOX_X a multiple of 8; at most 256
// SWIZZLE       permutation of a box's rows, in bytes           0, or 2 · BOX_X up to 128
//
// Shared memory: 2 · BOX_X · BOX_Y bytes and a barrier. Registers: about 24.
// Grid: x = boxes across, y = blocks down, each taking every gridDim.y-th box.
// After: NVIDIA, CUDA C++ Programming Guide, bulk tensor copies.

#include "bulk_copy.cuh"
#include "dependent_launch.cuh"

constexpr unsigned kSignOfTwo = 0x80008000u;
constexpr int kPairs = BOX_X * BOX_Y / 2;

enum class Work { negate, copy };

// Takes boxes of `from` that begin `down` rows below to boxes of `to`.
template <Work WORK>
__device__ __forceinline__ void move_boxes(const TensorMap& from, const TensorMap& to, int height,
                                           int down) {
  __shared__ __align__(1024) unsigned box[kPairs];
  __shared__ BulkBarrier barrier;
  const int thread = static_cast<int>(threadIdx.x);
  const int left = static_cast<int>(blockIdx.x) * BOX_X;
  if (thread == 0) init_barrier(&barrier);
  __syncthreads();
  wait_for_launch_ahead();

  unsigned parity = 0;
  for (int top = static_cast<int>(blockIdx.y) * BOX_Y; top < height;
       top += static_cast<int>(gridDim.y) * BOX_Y) {
    if (thread == 0) {
      expect_bytes(&barrier, sizeof box);
      start_box(box, from, left, top + down, &barrier);
    }
    wait_for_bytes(&barrier, parity);
    parity ^= 1;
    if (WORK == Work::negate)
      for (int i = thread; i < kPairs; i += static_cast<int>(blockDim.x)) box[i] ^= kSignOfTwo;
    proxy_fence();
    __syncthreads();
    if (thread == 0) {
      store_box(to, box, left, top);
      end_store_group();
      wait_for_store_reads<0>();
    }
    __syncthreads();
  }
  allow_launch_behind();
}

extern "C" __global__ void negate(const __grid_constant__ TensorMap x,
                                  const __grid_constant__ TensorMap scratch, int height) {
  move_boxes<Work::negate>(x, scratch, height, 1);
}

extern "C" __global__ void copy(const __grid_constant__ TensorMap scratch,
                                const __grid_constant__ TensorMap y, int height) {
  move_boxes<Work::copy>(scratch, y, height, 0);
}
