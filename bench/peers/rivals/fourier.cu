// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
//
// What a filter by Fourier transforms needs in addition to the transforms. An image is cut into tiles.
// A tile, with the samples that its outputs need, is one block of transform_width × transform_height
// samples. Afterwards its corner of tile_width × tile_height holds outputs (overlap-save). blockIdx.z
// is the block: the blocks of an image are adjacent, rows of tiles from the top.

struct Tiling {
  int width, height, pitch;  // of an image
  int left, above;           // samples that a tile needs before its first output
  int tile_width, tile_height, tiles_x, tiles_y;
  int transform_width, transform_height;
};

// Where a block's image begins, and the block's first output in it.
struct Place {
  long long image;
  int row, column;
};

__device__ __forceinline__ Place place_of(const Tiling& tiling, int block) {
  const int tiles = tiling.tiles_x * tiling.tiles_y;
  const int tile = block % tiles;
  const long long stride = static_cast<long long>(tiling.height) * tiling.pitch;
  return {block / tiles * stride, tile / tiling.tiles_x * tiling.tile_height,
          tile % tiling.tiles_x * tiling.tile_width};
}

// Gathers blocks from images, with zeros beyond the edges. Grid: x covers a block's rows.
extern "C" __global__ void __launch_bounds__(256)
    fourier_gather(const float* __restrict__ image, float* __restrict__ blocks, Tiling tiling) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= tiling.transform_width) return;
  const Place place = place_of(tiling, blockIdx.z);
  const int column = place.column - tiling.left + x;
  const bool is_column = column >= 0 && column < tiling.width;
  for (int y = blockIdx.y; y < tiling.transform_height; y += gridDim.y) {
    const int row = place.row - tiling.above + y;
    const bool inside = is_column && row >= 0 && row < tiling.height;
    const long long at = static_cast<long long>(blockIdx.z) * tiling.transform_height + y;
    blocks[at * tiling.transform_width + x] =
        inside ? image[place.image + static_cast<long long>(row) * tiling.pitch + column] : 0.0f;
  }
}

// Scales and places a filter's taps so that a circular convolution gives output x from the samples
// x, x + 1, … The rest of the block is already zero. One block for each filter.
extern "C" __global__ void fourier_place(const float* filter, float* blocks, int filter_width,
                                         int filter_height, Tiling tiling, float scale) {
  const int taps = filter_width * filter_height;
  for (int tap = threadIdx.x; tap < taps; tap += blockDim.x) {
    const int x = (tiling.transform_width - tap % filter_width) % tiling.transform_width;
    const int y = (tiling.transform_height - tap / filter_width) % tiling.transform_height;
    const long long at = static_cast<long long>(blockIdx.z) * tiling.transform_height + y;
    blocks[at * tiling.transform_width + x] = scale * filter[blockIdx.z * taps + tap];
  }
}

// Multiplies each block's spectrum by its filter's, in place. The filters repeat over the images.
extern "C" __global__ void __launch_bounds__(256)
    fourier_multiply(float2* __restrict__ spectrum, const float2* __restrict__ filter,
                     long long count, int tiles, int filters) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float2 a = spectrum[blockIdx.z * count + i];
  const float2 b = filter[blockIdx.z / tiles % filters * count + i];
  spectrum[blockIdx.z * count + i] = make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Scatters the outputs of blocks. Grid: x covers a tile's rows.
extern "C" __global__ void __launch_bounds__(256)
    fourier_scatter(const float* __restrict__ blocks, float* __restrict__ output, Tiling tiling) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const Place place = place_of(tiling, blockIdx.z);
  if (x >= tiling.tile_width || place.column + x >= tiling.width) return;
  for (int y = blockIdx.y; y < tiling.tile_height; y += gridDim.y) {
    if (place.row + y >= tiling.height) return;
    const long long at = static_cast<long long>(blockIdx.z) * tiling.transform_height + y;
    output[place.image + static_cast<long long>(place.row + y) * tiling.pitch + place.column + x] =
        blocks[at * tiling.transform_width + x];
  }
}
