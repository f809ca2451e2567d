// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// C = A · B, row-major FP32, any M, N, K ≥ 1: one thread computes one element of C and reads a
// row of A and a column of B from global memory. The measure for every other way.
//
// BLOCK_X   threads along N   4 … 256, BLOCK_X · BLOCK_Y from 32 to 1024
// BLOCK_Y   threads along M   1 … 32
//
// Shared memory: none. Registers: about 30, whatever the block.
// Grid: x = ceil(N / BLOCK_X), y = ceil(M / BLOCK_Y).
// After: Kirk and Hwu, Programming Massively Parallel Processors, chapter 3 (simple matrix
// multiplication).

constexpr int kThreads = BLOCK_X * BLOCK_Y;

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_naive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
               int M, int N, int K) {
  const int row = static_cast<int>(blockIdx.y) * BLOCK_Y + static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * BLOCK_X + static_cast<int>(threadIdx.x);
  if (row >= M || column >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += a[row * K + k] * b[k * N + column];
  c[row * N + column] = sum;
}
