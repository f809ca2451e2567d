// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// The sum of `count` FP32 numbers in two launches.
//
// BLOCK  threads of the first launch, a power of two  64 … 512
// ITEMS  numbers a thread of it adds up               1, 4, 16, 64
//
// Shared memory: 4 bytes a thread, static. Registers: about 24.
// After: Harris, Optimizing parallel reduction in CUDA, NVIDIA 2007.

// Adds up one number of each thread of a block. Thread 0 gets the sum, the others 0.
template <int THREADS>
__device__ float add_over_block(float value, float* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  sums[thread] = value;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) sums[thread] += sums[thread + half];
  }
  return thread == 0 ? sums[0] : 0.0f;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    partial_sums(const float* __restrict__ numbers, float* __restrict__ partials, int count) {
  __shared__ float sums[BLOCK];
  const int first = static_cast<int>(blockIdx.x) * (BLOCK * ITEMS) + static_cast<int>(threadIdx.x);
  float sum = 0.0f;
  for (int i = 0; i < ITEMS; ++i)
    if (first + i * BLOCK < count) sum += numbers[first + i * BLOCK];
  const float total = add_over_block<BLOCK>(sum, sums);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

// One block of THREADS threads.
template <int THREADS>
__global__ void __launch_bounds__(THREADS)
    final_sum(const float* __restrict__ partials, float* __restrict__ total, int count) {
  __shared__ float sums[THREADS];
  float sum = 0.0f;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += THREADS) sum += partials[i];
  const float result = add_over_block<THREADS>(sum, sums);
  if (threadIdx.x == 0) *total = result;
}
