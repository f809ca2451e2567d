// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Right answers of conv3d for problems with an epilogue, in double: one thread computes one output
// of each plane.

#include "../common/element.cuh"
#include "../common/epilogue.cuh"
#include "../common/reference_boundary.cuh"

using Element = Stored<TYPE>;

struct Filter {
  const Element* taps;
  int width, height, depth, anchor_x, anchor_y, anchor_z, flips;
};

struct Volume {
  const Element* samples;
  int width, height, depth, pitch, boundary;
};

// Plane k of the filter over plane z of the volume.
__device__ inline double filtered(const Volume& volume, const Filter& filter, int k, int z, int row,
                                  int column) {
  const int last = filter.width * filter.height * filter.depth - 1;
  double sum = 0;
  for (int j = 0; j < filter.height; ++j) {
    const int y = reference_source(row + j - filter.anchor_y, volume.height, volume.boundary);
    if (y < 0) continue;
    for (int i = 0; i < filter.width; ++i) {
      const int x = reference_source(column + i - filter.anchor_x, volume.width, volume.boundary);
      const int place = (k * filter.height + j) * filter.width + i;
      if (x >= 0)
        sum += to<double>(filter.taps[filter.flips ? last - place : place]) *
               to<double>(volume.samples[(z * volume.height + y) * volume.pitch + x]);
    }
  }
  return sum;
}

extern "C" __global__ void conv3d_reference(const Element* samples, const Element* taps,
                                            Element* output, int width, int height, int depth,
                                            int pitch, int filter_width, int filter_height,
                                            int filter_depth, int anchor_x, int anchor_y,
                                            int anchor_z, int channels, int batch, int boundary,
                                            int flips, int per_channel EPILOGUE_PARAMETERS) {
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= height || column >= width) return;
  for (int plane = static_cast<int>(blockIdx.z); plane < depth * channels * batch;
       plane += static_cast<int>(gridDim.z)) {
    const int index_of_volume = plane / depth;
    const int channel = index_of_volume % channels;
    const int first_tap = per_channel ? channel * filter_width * filter_height * filter_depth : 0;
    const Volume volume = {
        samples + index_of_volume * depth * height * pitch, width, height, depth, pitch, boundary};
    const Filter filter = {taps + first_tap, filter_width, filter_height, filter_depth,
                           anchor_x,         anchor_y,     anchor_z,      flips};
    double sum = 0;
    for (int k = 0; k < filter_depth; ++k) {
      const int z = reference_source(plane % depth + k - anchor_z, depth, boundary);
      if (z >= 0) sum += filtered(volume, filter, k, z, row, column);
    }
    const int index = (plane * height + row) * pitch + column;
    output[index] = to<Element>(
        epilogue(sum, plane % depth, row, column, channel, index_of_volume / channels, index));
  }
}
