// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// y = x / sqrt(mean(x²) + epsilon) for each row of a matrix: a block for each row.
//   THREADS  threads of a block, a power of two from 32 to 1024
//   UNROLL   elements that a thread has in flight, 1 or more
// It needs 4 · THREADS bytes of shared memory.
constexpr int kUnroll = UNROLL;  // nvcc does not replace macros in a pragma

__global__ void rms_norm(const float* x, float* y, float epsilon, int columns) {
  __shared__ float sums[THREADS];
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float sum = 0;
#pragma unroll kUnroll
  for (int i = threadIdx.x; i < columns; i += THREADS) sum += row[i] * row[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  const float factor = 1 / sqrtf(sums[0] / columns + epsilon);
  float* out = y + static_cast<long long>(blockIdx.x) * columns;
#pragma unroll kUnroll
  for (int i = threadIdx.x; i < columns; i += THREADS) out[i] = row[i] * factor;
}
