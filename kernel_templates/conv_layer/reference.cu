// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Right answers of conv_layer for problems with an epilogue, in double: one thread computes one
// output. Planar: 1 where the channels are planes (nchw, kcrs).

#include "../common/element.cuh"
#include "../common/epilogue.cuh"
#include "../common/reference_boundary.cuh"

using Element = Stored<TYPE>;
using ElementOut = Stored<TYPE_OUT>;

#if PROBLEM_PRECISION == PRECISION_FLOAT64
using Factor = double;
#elif PROBLEM_TYPE_OUT == TYPE_OUT_INT32
using Factor = int;
#else
using Factor = float;
#endif

// The place of an element in an array of these sizes, the last of which is the innermost.
__device__ inline long long place_in(const int (&at)[5], const int (&sizes)[5]) {
  long long place = 0;
  for (int i = 0; i < 5; ++i) place = place * sizes[i] + at[i];
  return place;
}

extern "C" __global__ void conv_layer_reference(
    const Element* image, const Element* filter, ElementOut* output, Factor alpha, Factor beta,
    int batch, int channels_in, int channels_out, int groups, int width, int height, int depth,
    int filter_width, int filter_height, int filter_depth, int stride_x, int stride_y, int stride_z,
    int dilation_x, int dilation_y, int dilation_z, int padding_x, int padding_y, int padding_z,
    int width_out, int height_out, int depth_out, int boundary, int accumulates, int is_planar,
    int filter_is_planar EPILOGUE_PARAMETERS) {
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (thread >= static_cast<long long>(batch) * channels_out * width_out * height_out * depth_out)
    return;
  // Whatever the layout, threads count the columns first.
  const int column = static_cast<int>(thread % width_out);
  const int row = static_cast<int>(thread / width_out % height_out);
  const int plane = static_cast<int>(thread / width_out / height_out % depth_out);
  const long long volume = thread / width_out / height_out / depth_out;
  const int channel = static_cast<int>(volume % channels_out);
  const int number = static_cast<int>(volume / channels_out);

  const int channels = channels_in / groups;
  const int first = channel / (channels_out / groups) * channels;
  double sum = 0;
  for (int k = 0; k < filter_depth; ++k)
    for (int j = 0; j < filter_height; ++j)
      for (int i = 0; i < filter_width; ++i) {
        const int z =
            reference_source(plane * stride_z - padding_z + k * dilation_z, depth, boundary);
        const int y =
            reference_source(row * stride_y - padding_y + j * dilation_y, height, boundary);
        const int x =
            reference_source(column * stride_x - padding_x + i * dilation_x, width, boundary);
        if (z < 0 || y < 0 || x < 0) continue;
        for (int c = 0; c < channels; ++c) {
          const long long sample = is_planar ? place_in({number, first + c, z, y, x},
                                                        {batch, channels_in, depth, height, width})
                                             : place_in({number, z, y, x, first + c},
                                                        {batch, depth, height, width, channels_in});
          const long long tap =
              filter_is_planar
                  ? place_in({channel, c, k, j, i},
                             {channels_out, channels, filter_depth, filter_height, filter_width})
                  : place_in({channel, k, j, i, c},
                             {channels_out, filter_depth, filter_height, filter_width, channels});
          sum += to<double>(filter[tap]) * to<double>(image[sample]);
        }
      }
  const long long index = is_planar
                              ? place_in({number, channel, plane, row, column},
                                         {batch, channels_out, depth_out, height_out, width_out})
                              : place_in({number, plane, row, column, channel},
                                         {batch, depth_out, height_out, width_out, channels_out});
  double value = static_cast<double>(alpha) * sum;
  if (accumulates) value += static_cast<double>(beta) * to<double>(output[index]);
  output[index] =
      to<ElementOut>(epilogue(value, plane, row, column, channel, number, static_cast<int>(index)));
}
