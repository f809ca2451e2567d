// Kernel Tuner's convolution: its signature, its names in lower case, and its filter in constant
// memory. `filter` is not read.
__constant__ float d_filter[33 * 33];  // large enough for the largest filter

namespace image {
static __constant__ float gains[gain_count];  // of columns in turn
}

#define tile_width (block_size_x * tile_size_x)
#define tile_height (block_size_y * tile_size_y)
#define input_width (image_width + filter_width - 1)
#define input_height (image_height + filter_height - 1)

__global__ void convolution_kernel(float* output, float* input, float* filter) {
  __shared__ float tile[tile_height + filter_height - 1][tile_width + filter_width - 1 + use_padding];
  const int left = blockIdx.x * tile_width;
  const int top = blockIdx.y * tile_height;
  for (int y = threadIdx.y; y < tile_height + filter_height - 1; y += block_size_y)
    for (int x = threadIdx.x; x < tile_width + filter_width - 1; x += block_size_x)
      if (top + y < input_height && left + x < input_width)
        tile[y][x] = input[(top + y) * input_width + left + x];
  __syncthreads();
  for (int y = threadIdx.y; y < tile_height; y += block_size_y)
    for (int x = threadIdx.x; x < tile_width; x += block_size_x) {
      if (top + y >= image_height || left + x >= image_width) continue;
      float sum = 0;
      for (int j = 0; j < filter_height; ++j)
        for (int i = 0; i < filter_width; ++i)
          sum += tile[y + j][x + i] * d_filter[j * filter_width + i];
      output[(top + y) * image_width + left + x] = sum * image::gains[(left + x) % gain_count];
    }
}
