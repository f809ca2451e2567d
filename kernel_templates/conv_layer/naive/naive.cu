// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// output = epilogue(alpha · (sum over channels and taps of filter · image) + beta · output), for
// one to three dimensions, any sizes, strides, dilations, padding, groups and layouts: one thread
// computes one output and reads its taps from global memory. The measure for every other way.
//
// BLOCK     threads of a block, each with the output of its number in memory   32 … 1024
// PROBLEM_LAYOUT, PROBLEM_FILTER_LAYOUT, PROBLEM_BOUNDARY, PROBLEM_ACCUMULATE
//           the problem's choices; the output is read only with the last
// TYPE, TYPE_OUT, PROBLEM_PRECISION   types.cuh
//
// Shared memory: none. Registers: about 60, whatever the block.
// Grid: x = ceil(outputs / BLOCK).

#include "boundary.cuh"
#include "output.cuh"

// One axis of an image, and how a filter lies on it.
struct Axis {
  int length;
  int taps;
  int stride;
  int dilation;
  int padding;

  // The index of the sample that a tap of the output at `place` meets; −1 where it is zero.
  __device__ __forceinline__ int source(int place, int tap) const {
    return source_index(place * stride - padding + tap * dilation, length);
  }
};

struct Layer {
  const Element* image;
  const Element* filter;
  int channels_in;
  int channels;  // of one group
  Axis x;
  Axis y;
  Axis z;

  // The sum over a group's channels for one tap of one filter, which meets the pixel (column, row,
  // plane) of an image.
  __device__ __forceinline__ Sum over_channels(int batch, int first_channel, int column, int row,
                                               int plane, int number, int tap) const {
    const int taps = x.taps * y.taps * z.taps;
    const int pixels = x.length * y.length * z.length;
    const int pixel = (plane * y.length + row) * x.length + column;
    Sum sum = 0;
    for (int c = 0; c < channels; ++c) {
      const int channel = first_channel + c;
      const int at = PROBLEM_LAYOUT == LAYOUT_NHWC
                         ? (batch * pixels + pixel) * channels_in + channel
                         : (batch * channels_in + channel) * pixels + pixel;
      const int weight = PROBLEM_FILTER_LAYOUT == FILTER_LAYOUT_KRSC
                             ? (number * taps + tap) * channels + c
                             : (number * channels + c) * taps + tap;
      sum += to<Sum>(image[at]) * to<Sum>(filter[weight]);
    }
    return sum;
  }

  __device__ __forceinline__ Sum sum(const Place& place, int first_channel) const {
    Sum sum = 0;
    for (int k = 0; k < z.taps; ++k) {
      const int plane = z.source(place.plane, k);
      if (plane < 0) continue;
      for (int j = 0; j < y.taps; ++j) {
        const int row = y.source(place.row, j);
        if (row < 0) continue;
        for (int i = 0; i < x.taps; ++i) {
          const int column = x.source(place.column, i);
          if (column < 0) continue;
          sum += over_channels(place.batch, first_channel, column, row, plane, place.channel,
                               (k * y.taps + j) * x.taps + i);
        }
      }
    }
    return sum;
  }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
    conv_layer_naive(const Element* __restrict__ image, const Element* __restrict__ filter,
                     ElementOut* __restrict__ elements, Real alpha, Real beta, int batch,
                     int channels_in, int channels_out, int groups, int width, int height,
                     int depth, int filter_width, int filter_height, int filter_depth, int stride_x,
                     int stride_y, int stride_z, int dilation_x, int dilation_y, int dilation_z,
                     int padding_x, int padding_y, int padding_z, int width_out, int height_out,
                     int depth_out EPILOGUE_PARAMETERS) {
  const Output output = {elements,  channels_out, width_out, height_out,
                         depth_out, alpha,        beta,      EPILOGUE_ARGUMENTS};
  const unsigned index = blockIdx.x * BLOCK + threadIdx.x;
  const auto count =
      static_cast<unsigned>(channels_out * width_out * height_out * depth_out * batch);
  if (index >= count) return;
  const Place place = output.place_of(static_cast<int>(index));
  const int channels = channels_in / groups;
  const Layer layer = {image,
                       filter,
                       channels_in,
                       channels,
                       {width, filter_width, stride_x, dilation_x, padding_x},
                       {height, filter_height, stride_y, dilation_y, padding_y},
                       {depth, filter_depth, stride_z, dilation_z, padding_z}};
  const int group = place.channel / (channels_out / groups);
  elements[index] =
      output.value(place, static_cast<int>(index), layer.sum(place, group * channels));
}
