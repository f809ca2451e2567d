// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// C = A · B with the sum over K cut into SPLIT_K parts, row-major FP32.
//
// TILE          threads along M and N of the first launch  8, 16, 32
// SPLIT_K       parts of K, grid z of the first launch      1 … 16
// REDUCE_BLOCK  threads of the second launch                128, 256
//
// Shared memory: 8 · TILE² bytes, static. Registers: about 32.
// After: CUTLASS's split-K and its reduction kernel.

constexpr int kThreads = TILE * TILE;

// parts[z][row][column] = the sum over the z-th part of K. plane = M · N.
extern "C" __global__ void __launch_bounds__(kThreads)
    multiply_part(const float* __restrict__ a, const float* __restrict__ b,
                  float* __restrict__ parts, int M, int N, int K, long long plane) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * TILE + y;
  const int column = static_cast<int>(blockIdx.x) * TILE + x;
  const int part = static_cast<int>(blockIdx.z);
  const int first = static_cast<int>(static_cast<long long>(K) * part / SPLIT_K);
  const int last = static_cast<int>(static_cast<long long>(K) * (part + 1) / SPLIT_K);

  float sum = 0.0f;
  for (int k = first; k < last; k += TILE) {
    tile_a[y][x] = row < M && k + x < last ? a[row * K + k + x] : 0.0f;
    tile_b[y][x] = column < N && k + y < last ? b[(k + y) * N + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  if (row < M && column < N) parts[part * plane + row * N + column] = sum;
}

extern "C" __global__ void add_parts(const float* __restrict__ parts, float* __restrict__ c,
                                     long long plane) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= plane) return;
  float sum = 0.0f;
  for (int part = 0; part < SPLIT_K; ++part) sum += parts[part * plane + i];
  c[i] = sum;
}
