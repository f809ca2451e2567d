// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// The sum of `count` FP32 numbers in passes, each of which leaves a BLOCK-th of the numbers.
//
// BLOCK  threads of a block, and the numbers that it adds up  64, 128, 256
//
// Shared memory: 4 bytes a thread, dynamic.

extern "C" __global__ void __launch_bounds__(BLOCK)
    add_blocks(const float* __restrict__ from, float* __restrict__ to, int count) {
  extern __shared__ float sums[];
  const int thread = static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.x) * BLOCK + thread;
  sums[thread] = i < count ? from[i] : 0.0f;
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) sums[thread] += sums[thread + half];
  }
  if (thread == 0) to[blockIdx.x] = sums[0];
}

extern "C" __global__ void take(const float* __restrict__ sum, float* __restrict__ total) {
  *total = *sum;
}
