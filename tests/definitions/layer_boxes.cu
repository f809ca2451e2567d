// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// A layer by boxes: for every tap and chunk of channels the pixels that a block's outputs need come
// as one box, which leaves out those between with strides, and the outputs leave as another.
//
// RANK           of the maps: columns; rows, too; planes, too    3 (one row), 4 (one plane), 5
// BOX_X, …, BOX_N  columns, rows, planes and images of a box     at most 128 in all
// CHUNK          channels of a box                               a multiple of 4
// SWIZZLE        permutation of a pixel's channels, in bytes     0, or 4 · CHUNK up to 128
// NAN_FILL       1: what is beyond an image comes as NaN         0 (the ghost is 0), 1
//
// Shared memory: 4 · (CHUNK + 4) bytes for each pixel of a box, and a barrier. Registers: about 48.
// Grid: x = boxes across, y = boxes down, z = boxes of planes, in each group of images.
// After: NVIDIA, PTX ISA, tensors, tiled mode.

#define POSITIONS (BOX_X * BOX_Y * BOX_Z * BOX_N)
#include "layer.cuh"

extern "C" __global__ void layer_boxes(const __grid_constant__ TensorMap map, const float* filters,
                                       const __grid_constant__ TensorMap out, LAYER_PARAMETERS) {
  __shared__ __align__(1024) unsigned char box[kBoxBytes];
  __shared__ __align__(128) float results[POSITIONS * kFilters];
  __shared__ BulkBarrier barrier;
  const Layer layer = LAYER;
  const int thread = static_cast<int>(threadIdx.x);
  const int groups = (depth + BOX_Z - 1) / BOX_Z;
  const int x = static_cast<int>(blockIdx.x) * BOX_X;
  const int y = static_cast<int>(blockIdx.y) * BOX_Y;
  const int z = static_cast<int>(blockIdx.z) % groups * BOX_Z;
  const int image = static_cast<int>(blockIdx.z) / groups * BOX_N;
  if (thread == 0) init_barrier(&barrier);
  __syncthreads();

  float sums[kFilters] = {};
  for (int i = 0; i < steps_of(layer); ++i) {
    const Step step = step_at(layer, i);
    const int from_x = x * stride_x + step.x - padding_x;
    const int from_y = y * stride_y + step.y - padding_y;
    const int from_z = z + step.z - padding_z;
    if (thread == 0) {
      expect_bytes(&barrier, kBoxBytes);
      if (RANK == 3)
        start_box(box, map, step.channel, from_x, image, &barrier);
      else if (RANK == 4)
        start_box(box, map, {step.channel, from_x, from_y, image}, &barrier);
      else
        start_box(box, map, {step.channel, from_x, from_y, from_z, image}, &barrier);
    }
    wait_for_bytes(&barrier, i % 2);
    if (thread < POSITIONS) add_products(sums, box, thread, filters, layer, step);
    __syncthreads();
  }
  for (int k = 0; k < kFilters; ++k)
    if (thread < POSITIONS) results[thread * kFilters + k] = sums[k];
  proxy_fence();
  __syncthreads();
  if (thread != 0) return;
  if (RANK == 3)
    store_box(out, results, 0, x, image);
  else if (RANK == 4)
    store_box(out, results, {0, x, y, image});
  else
    store_box(out, results, {0, x, y, z, image});
  end_store_group();
  wait_for_store_reads<0>();
}
