// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// The sum of `count` FP32 numbers in two launches. Both source units are made of this file and have
// both kernels. The unit `last` defines LAST_THREADS; in the other unit add_parts would add only
// what one thread reads, so an answer is right only if each kernel is that of its unit.
//
// BLOCK         threads of the first launch  64, 128, 256
// LAST_THREADS  threads of the second        2 · BLOCK
//
// Shared memory: 4 bytes a thread, static. Registers: about 16.

#ifndef LAST_THREADS
#define LAST_THREADS 1
#endif

// Adds up one number of each thread of a block. Thread 0 gets the sum.
template <int THREADS>
__device__ float add_over_block(float value, float* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < THREADS) sums[thread] = value;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) sums[thread] += sums[thread + half];
  }
  return thread == 0 ? sums[0] : 0.0f;
}

extern "C" __global__ void add_block(const float* __restrict__ numbers,
                                     float* __restrict__ parts, int count) {
  __shared__ float sums[BLOCK];
  const int i = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);
  const float sum = add_over_block<BLOCK>(i < count ? numbers[i] : 0.0f, sums);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// One block of LAST_THREADS threads.
extern "C" __global__ void add_parts(const float* __restrict__ parts, float* __restrict__ total,
                                     int count) {
  __shared__ float sums[LAST_THREADS];
  float sum = 0.0f;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    sum += parts[i];
  const float result = add_over_block<LAST_THREADS>(sum, sums);
  if (threadIdx.x == 0) *total = result;
}
