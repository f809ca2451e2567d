// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// output[y][x] = sum over j, i of filter[j][i] * input[y + j][x + i], without edges: the input has
// filter_height - 1 rows and filter_width - 1 columns more than the output.

#ifndef tile_size_x  // convolution_naive needs no tiles
#define tile_size_x 1
#define tile_size_y 1
#define use_padding 0
#endif

#define input_width (image_width + filter_width - 1)
#define input_height (image_height + filter_height - 1)
#define tile_width (block_size_x * tile_size_x + filter_width - 1)
#define tile_height (block_size_y * tile_size_y + filter_height - 1)

__global__ void convolution_naive(float *output, float *input, float *filter) {
  int x = blockIdx.x * block_size_x + threadIdx.x;
  int y = blockIdx.y * block_size_y + threadIdx.y;
  if (x >= image_width || y >= image_height) return;
  float sum = 0;
  for (int j = 0; j < filter_height; j++)
    for (int i = 0; i < filter_width; i++)
      sum += input[(y + j) * input_width + x + i] * filter[j * filter_width + i];
  output[y * image_width + x] = sum;
}

__global__ void convolution_kernel(float *output, float *input, float *filter) {
  __shared__ float tile[tile_height][tile_width + use_padding];
  int first_x = blockIdx.x * block_size_x * tile_size_x;
  int first_y = blockIdx.y * block_size_y * tile_size_y;
  for (int j = threadIdx.y; j < tile_height; j += block_size_y)
    for (int i = threadIdx.x; i < tile_width; i += block_size_x) {
      int x = first_x + i;
      int y = first_y + j;
      bool inside = x < input_width && y < input_height;
      tile[j][i] = inside ? input[y * input_width + x] : 0;
    }
  __syncthreads();

  float sums[tile_size_y][tile_size_x] = {};
  for (int j = 0; j < filter_height; j++)
    for (int i = 0; i < filter_width; i++) {
      float weight = filter[j * filter_width + i];
#pragma unroll
      for (int b = 0; b < tile_size_y; b++)
#pragma unroll
        for (int a = 0; a < tile_size_x; a++)
          sums[b][a] += weight * tile[threadIdx.y + b * block_size_y + j][threadIdx.x + a * block_size_x + i];
    }

  for (int b = 0; b < tile_size_y; b++)
    for (int a = 0; a < tile_size_x; a++) {
      int x = first_x + threadIdx.x + a * block_size_x;
      int y = first_y + threadIdx.y + b * block_size_y;
      if (x < image_width && y < image_height) output[y * image_width + x] = sums[b][a];
    }
}
