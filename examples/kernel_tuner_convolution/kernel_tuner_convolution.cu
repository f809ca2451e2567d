// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// The algorithm of the convolution example that comes with Kernel Tuner (examples/cuda/convolution
// of github.com/KernelTuner/kernel_tuner), written anew with its parameters under their own names:
//   output[y][x] = sum over j, i of filter[j][i] · input[y + j][x + i]
// The input has filter − 1 rows and columns more than the output, so there are no edges. A block
// copies what it needs to shared memory; a thread computes tile_size_x · tile_size_y outputs that
// are a block apart.
//
// block_size_x, block_size_y   threads                     16 … 128, 1 … 32; at most 1024 in all
// tile_size_x, tile_size_y     outputs a thread            1 … 8 each
// use_padding  columns that keep the rows of a warp that spans several in different banks; only
//              where block_size_x is not a multiple of the 32 banks
// read_only    the input is read by __ldg
//
// Compiled in: the filter's size. Shared memory, dynamic: kNeededRows rows of kStride floats.
// Registers: the outputs, and what the compiler finds to keep: all loops are written out.

constexpr int kColumns = block_size_x * tile_size_x;
constexpr int kRows = block_size_y * tile_size_y;
constexpr int kNeededColumns = kColumns + PROBLEM_FILTER_WIDTH - 1;
constexpr int kNeededRows = kRows + PROBLEM_FILTER_HEIGHT - 1;
constexpr int kBanks = 32;

// The next row of a warp begins where its last one ends.
constexpr int kPadding =
    use_padding ? (kBanks - (kNeededColumns - block_size_x) % kBanks) % kBanks : 0;
constexpr int kStride = kNeededColumns + kPadding;

struct Filter {
  float values[PROBLEM_FILTER_HEIGHT][PROBLEM_FILTER_WIDTH];
};

__device__ __forceinline__ float read(const float* from) {
#if read_only
  return __ldg(from);
#else
  return *from;
#endif
}

extern "C" __global__ void convolution_kernel(float* output, const float* input,
                                              const __grid_constant__ Filter filter, int width,
                                              int height) {
  extern __shared__ float needed[];
  const int first_column = blockIdx.x * kColumns;
  const int first_row = blockIdx.y * kRows;
  const int input_width = width + PROBLEM_FILTER_WIDTH - 1;
  const int input_height = height + PROBLEM_FILTER_HEIGHT - 1;
#pragma unroll
  for (int i = threadIdx.y; i < kNeededRows; i += block_size_y) {
#pragma unroll
    for (int j = threadIdx.x; j < kNeededColumns; j += block_size_x) {
      const int row = first_row + i;
      const int column = first_column + j;
      if (row < input_height && column < input_width)
        needed[i * kStride + j] = read(input + (row * input_width + column));
    }
  }
  __syncthreads();

  float sums[tile_size_y][tile_size_x] = {};
#pragma unroll
  for (int j = 0; j < PROBLEM_FILTER_HEIGHT; ++j) {
#pragma unroll
    for (int i = 0; i < PROBLEM_FILTER_WIDTH; ++i) {
#pragma unroll
      for (int ty = 0; ty < tile_size_y; ++ty) {
#pragma unroll
        for (int tx = 0; tx < tile_size_x; ++tx)
          sums[ty][tx] +=
              filter.values[j][i] * needed[(threadIdx.y + ty * block_size_y + j) * kStride +
                                           (threadIdx.x + tx * block_size_x + i)];
      }
    }
  }

#pragma unroll
  for (int ty = 0; ty < tile_size_y; ++ty) {
#pragma unroll
    for (int tx = 0; tx < tile_size_x; ++tx) {
      const int row = first_row + threadIdx.y + ty * block_size_y;
      const int column = first_column + threadIdx.x + tx * block_size_x;
      if (row < height && column < width) output[row * width + column] = sums[ty][tx];
    }
  }
}
