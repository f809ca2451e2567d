// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// A separable 2-D filter, row-major FP32, 1 to 63 taps, in two launches. Each loads a tile with
// its halo in one direction into shared memory, ghost samples as PROBLEM_BOUNDARY says.
//
// BLOCK_X  threads and outputs along a row     16, 32, 64
// BLOCK_Y  threads and outputs along a column  4, 8, 16
//
// Shared memory: dynamic, 4 bytes for each sample of the tile and its halo. Registers: about 32.
// After: Podlozhnyuk, Image Convolution with CUDA, NVIDIA 2007.

#include "boundary.cuh"

constexpr int kThreads = BLOCK_X * BLOCK_Y;

struct Filter {
  float values[63];
};

extern "C" __global__ void __launch_bounds__(kThreads)
    filter_rows(const float* __restrict__ image, float* __restrict__ filtered, Filter filter,
                int height, int width, int taps) {
  extern __shared__ float shared[];
  const int x = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * BLOCK_Y + static_cast<int>(threadIdx.y);
  const int start = static_cast<int>(blockIdx.x) * BLOCK_X;
  float* samples = shared + static_cast<int>(threadIdx.y) * (BLOCK_X + taps - 1);
  if (row < height)
    for (int i = x; i < BLOCK_X + taps - 1; i += BLOCK_X)
      samples[i] = sample_or_ghost(image + row * width, start - taps / 2 + i, width);
  __syncthreads();

  if (row >= height || start + x >= width) return;
  float sum = 0.0f;
  for (int t = 0; t < taps; ++t) sum += filter.values[t] * samples[x + t];
  filtered[row * width + start + x] = sum;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    filter_columns(const float* __restrict__ image, float* __restrict__ filtered, Filter filter,
                   int height, int width, int taps) {
  extern __shared__ float shared[];
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * BLOCK_X + x;
  const int start = static_cast<int>(blockIdx.y) * BLOCK_Y;
  if (column < width) {
    for (int i = y; i < BLOCK_Y + taps - 1; i += BLOCK_Y) {
      const int row = source_index(start - taps / 2 + i, height);
      shared[i * BLOCK_X + x] = row < 0 ? 0.0f : image[row * width + column];
    }
  }
  __syncthreads();

  if (column >= width || start + y >= height) return;
  float sum = 0.0f;
  for (int t = 0; t < taps; ++t) sum += filter.values[t] * shared[(y + t) * BLOCK_X + x];
  filtered[(start + y) * width + column] = sum;
}
