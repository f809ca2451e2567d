// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// C = A * B for square, row-major matrices of WIDTH rows. A block computes a tile of
// block_size_x rows and block_size_x * tile_size_x columns, with block_size_x = block_size_y * tile_size_y
// and WIDTH a multiple of both.
__global__ void matmul_kernel(float *C, float *A, float *B) {
  __shared__ float rows[block_size_x][block_size_x];
  __shared__ float columns[block_size_x][block_size_x * tile_size_x];
  int first_row = blockIdx.y * block_size_x;
  int first_column = blockIdx.x * block_size_x * tile_size_x;
  float sums[tile_size_y][tile_size_x] = {};

  for (int k = 0; k < WIDTH; k += block_size_x) {
    for (int b = 0; b < tile_size_y; b++) {
      int y = threadIdx.y + b * block_size_y;
      rows[y][threadIdx.x] = A[(first_row + y) * WIDTH + k + threadIdx.x];
      for (int a = 0; a < tile_size_x; a++) {
        int x = threadIdx.x + a * block_size_x;
        columns[y][x] = B[(k + y) * WIDTH + first_column + x];
      }
    }
    __syncthreads();
    for (int i = 0; i < block_size_x; i++)
#pragma unroll
      for (int b = 0; b < tile_size_y; b++)
#pragma unroll
        for (int a = 0; a < tile_size_x; a++)
          sums[b][a] += rows[threadIdx.y + b * block_size_y][i] * columns[i][threadIdx.x + a * block_size_x];
    __syncthreads();
  }

  for (int b = 0; b < tile_size_y; b++)
    for (int a = 0; a < tile_size_x; a++) {
      int y = first_row + threadIdx.y + b * block_size_y;
      int x = first_column + threadIdx.x + a * block_size_x;
      C[y * WIDTH + x] = sums[b][a];
    }
}
