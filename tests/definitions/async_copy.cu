// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// y[i] = x[i] + x[last − i] / 2 in every segment of FP32 numbers: a block copies its segment to
// shared memory asynchronously and reads it from both ends.
//
// BLOCK        threads                      128 … 1024
// COPY_FLOATS  floats in one copy           1, 2, 4; single floats where the segments' addresses
//                                           or their length do not allow more
//
// Shared memory: dynamic, 4 · segment bytes, more than 48 KiB. Registers: about 32.
// Grid: x = segments.
// After: NVIDIA, CUDA C++ Programming Guide, asynchronous data copies.

#include "async_copy.cuh"
#include "run.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
    fold(const float* __restrict__ x, float* __restrict__ y, int segment) {
  extern __shared__ __align__(16) float numbers[];
  const float* source = x + static_cast<long long>(blockIdx.x) * segment;
  float* target = y + static_cast<long long>(blockIdx.x) * segment;
  const int thread = static_cast<int>(threadIdx.x);

  if (Matrix<const float>{x, 1, segment, segment}.is_aligned<COPY_FLOATS>()) {
    for (int i = thread * COPY_FLOATS; i < segment; i += BLOCK * COPY_FLOATS)
      start_copy<COPY_FLOATS>(numbers + i, source + i);
  } else {
    for (int i = thread; i < segment; i += BLOCK) start_copy<1>(numbers + i, source + i);
  }
  wait_for_copies();
  __syncthreads();

  for (int i = thread; i < segment; i += BLOCK)
    target[i] = numbers[i] + 0.5f * numbers[segment - 1 - i];
}
