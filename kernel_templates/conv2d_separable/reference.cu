// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Right answers of conv2d_separable for problems with an epilogue, in double: one thread computes
// one output of each plane.

#include "../common/element.cuh"
#include "../common/epilogue.cuh"
#include "../common/reference_boundary.cuh"

using Element = Stored<TYPE>;

struct Filter {
  const Element* taps;
  int length, anchor, flips;

  __device__ double tap(int place) const {
    return to<double>(taps[flips ? length - 1 - place : place]);
  }
};

struct Image {
  const Element* samples;
  int width, height, pitch, boundary;
};

__device__ inline double filtered(const Image& image, const Filter& along_rows,
                                  const Filter& along_columns, int row, int column) {
  double sum = 0;
  for (int j = 0; j < along_columns.length; ++j) {
    const int y = reference_source(row + j - along_columns.anchor, image.height, image.boundary);
    if (y < 0) continue;
    double row_sum = 0;
    for (int i = 0; i < along_rows.length; ++i) {
      const int x = reference_source(column + i - along_rows.anchor, image.width, image.boundary);
      if (x >= 0) row_sum += along_rows.tap(i) * to<double>(image.samples[y * image.pitch + x]);
    }
    sum += along_columns.tap(j) * row_sum;
  }
  return sum;
}

extern "C" __global__ void separable_reference(const Element* image, const Element* row_filter,
                                               const Element* column_filter, Element* output,
                                               int width, int height, int pitch, int filter_width,
                                               int filter_height, int anchor_x, int anchor_y,
                                               int channels, int batch, int boundary, int flips,
                                               int per_channel EPILOGUE_PARAMETERS) {
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= height || column >= width) return;
  for (int plane = static_cast<int>(blockIdx.z); plane < channels * batch;
       plane += static_cast<int>(gridDim.z)) {
    const int first = plane * height * pitch;
    const int channel = plane % channels;
    const int own = per_channel ? channel : 0;
    const double sum = filtered(
        {image + first, width, height, pitch, boundary},
        {row_filter + own * filter_width, filter_width, anchor_x, flips},
        {column_filter + own * filter_height, filter_height, anchor_y, flips}, row, column);
    const int index = first + row * pitch + column;
    output[index] = to<Element>(epilogue(sum, row, column, channel, plane / channels, index));
  }
}
