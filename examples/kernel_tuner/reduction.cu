// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// One sum for each of num_blocks blocks. A second launch with one block adds these.
// n is a multiple of vector, and array is aligned to its type.
#if vector == 1
#define floatvector float
#elif vector == 2
#define floatvector float2
#else
#define floatvector float4
#endif

__device__ float sum_of(float v) { return v; }
__device__ float sum_of(float2 v) { return v.x + v.y; }
__device__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

__global__ void sum_floats(float *sum_global, floatvector *array, int n) {
  __shared__ float sums[block_size_x];
  float sum = 0;
  for (int i = blockIdx.x * block_size_x + threadIdx.x; i < n / vector; i += num_blocks * block_size_x)
    sum += sum_of(array[i]);
  sums[threadIdx.x] = sum;
  __syncthreads();

  constexpr int kLast = use_shuffle ? 16 : 0;  // a warp adds the last 32 by itself
  for (int half = block_size_x / 2; half > kLast; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  sum = sums[threadIdx.x];
#if use_shuffle
  if (threadIdx.x < 32)
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
#endif
  if (threadIdx.x == 0) sum_global[blockIdx.x] = sum;
}
