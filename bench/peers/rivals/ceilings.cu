// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
//
// The limits of the machine.

// Copies `count` vectors; each thread has four in flight. Grid: ceil(count / (4 · threads)).
extern "C" __global__ void __launch_bounds__(256)
    ceiling_copy(const float4* __restrict__ from, float4* __restrict__ to, long long count) {
  const long long first = static_cast<long long>(blockIdx.x) * (4 * blockDim.x) + threadIdx.x;
  float4 held[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + i * blockDim.x < count) held[i] = from[first + i * blockDim.x];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + i * blockDim.x < count) to[first + i * blockDim.x] = held[i];
}

// 16 chains of multiply-adds in each thread, 16 · rounds in all. Each thread writes one result, so
// that the compiler keeps them.
extern "C" __global__ void __launch_bounds__(256)
    ceiling_multiply_add(float* result, float factor, float addend, int rounds) {
  float sums[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) sums[i] = threadIdx.x + i;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int i = 0; i < 16; ++i) sums[i] = fmaf(sums[i], factor, addend);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) sum += sums[i];
  result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
