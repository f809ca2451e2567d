// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// A layer by a tensor map in im2col mode: for every tap and chunk of channels the hardware gathers
// the block's pixels, and each thread sums for one of them.
//
// RANK        of the map: columns; rows, too; planes, too        3 (one row), 4 (one plane), 5
// POSITIONS   pixels of a block                                  at most 128
// CHUNK       channels of a copy                                 a multiple of 4
// SWIZZLE     permutation of a pixel's channels, in bytes        0, or 4 · CHUNK up to 128
// NAN_FILL    1: what is beyond an image comes as NaN            0 (the ghost is 0), 1
//
// Shared memory: 4 · CHUNK · POSITIONS bytes and a barrier. Registers: about 48.
// Grid: x = POSITIONS pixels each, of all images.
// After: NVIDIA, PTX ISA, tensors, im2col mode.

#include "layer.cuh"

__device__ __forceinline__ void start(unsigned char* box, const TensorMap& map, const Layer& layer,
                                      int pixel, const Step& step, BulkBarrier* barrier) {
  const int row = pixel / layer.out_x;
  const int plane = row / layer.out_y;
  const int x = pixel % layer.out_x * layer.stride_x - layer.padding_x;
  const int y = row % layer.out_y * layer.stride_y - layer.padding_y;
  const int z = plane % layer.depth - layer.padding_z;
  const int image = plane / layer.depth;
  if (RANK == 3)
    start_pixels(box, map, {step.channel, x, image}, {step.x}, barrier);
  else if (RANK == 4)
    start_pixels(box, map, {step.channel, x, y, image}, {step.x, step.y}, barrier);
  else
    start_pixels(box, map, {step.channel, x, y, z, image}, {step.x, step.y, step.z}, barrier);
}

extern "C" __global__ void layer_pixels(const __grid_constant__ TensorMap map, const float* filters,
                                        float* out, LAYER_PARAMETERS) {
  __shared__ __align__(1024) unsigned char box[kBoxBytes];
  __shared__ BulkBarrier barrier;
  const Layer layer = LAYER;
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * POSITIONS;
  if (thread == 0) init_barrier(&barrier);
  __syncthreads();

  float sums[kFilters] = {};
  for (int i = 0; i < steps_of(layer); ++i) {
    const Step step = step_at(layer, i);
    if (thread == 0) {
      expect_bytes(&barrier, kBoxBytes);
      start(box, map, layer, first, step, &barrier);
    }
    wait_for_bytes(&barrier, i % 2);
    if (thread < POSITIONS) add_products(sums, box, thread, filters, layer, step);
    __syncthreads();
  }
  const int pixel = first + thread;
  if (thread >= POSITIONS || pixel >= images * depth * out_y * out_x) return;
  for (int k = 0; k < kFilters; ++k) out[pixel * kFilters + k] = sums[k];
}
