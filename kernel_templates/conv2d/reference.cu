// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Right answers of conv2d for problems with an epilogue, in double: one thread computes one output
// of each plane.

#include "../common/element.cuh"
#include "../common/epilogue.cuh"
#include "../common/reference_boundary.cuh"

using Element = Stored<TYPE>;

struct Filter {
  const Element* taps;
  int width, height, anchor_x, anchor_y, flips;
};

struct Image {
  const Element* samples;
  int width, height, pitch, boundary;
};

__device__ inline double filtered(const Image& image, const Filter& filter, int row, int column) {
  const int last = filter.width * filter.height - 1;
  double sum = 0;
  for (int j = 0; j < filter.height; ++j) {
    const int y = reference_source(row + j - filter.anchor_y, image.height, image.boundary);
    if (y < 0) continue;
    for (int i = 0; i < filter.width; ++i) {
      const int x = reference_source(column + i - filter.anchor_x, image.width, image.boundary);
      const int place = j * filter.width + i;
      if (x >= 0)
        sum += to<double>(filter.taps[filter.flips ? last - place : place]) *
               to<double>(image.samples[y * image.pitch + x]);
    }
  }
  return sum;
}

extern "C" __global__ void conv2d_reference(const Element* image, const Element* filter,
                                            Element* output, int width, int height, int pitch,
                                            int filter_width, int filter_height, int anchor_x,
                                            int anchor_y, int channels, int batch, int boundary,
                                            int flips, int per_channel EPILOGUE_PARAMETERS) {
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= height || column >= width) return;
  for (int plane = static_cast<int>(blockIdx.z); plane < channels * batch;
       plane += static_cast<int>(gridDim.z)) {
    const int first = plane * height * pitch;
    const int channel = plane % channels;
    const int first_tap = per_channel ? channel * filter_width * filter_height : 0;
    const double sum = filtered(
        {image + first, width, height, pitch, boundary},
        {filter + first_tap, filter_width, filter_height, anchor_x, anchor_y, flips}, row, column);
    const int index = first + row * pitch + column;
    output[index] = to<Element>(epilogue(sum, row, column, channel, plane / channels, index));
  }
}
