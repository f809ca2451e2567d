// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What both kernels of a layer share: its numbers, and a pixel's sums over channels.
// Of the including kernel: CHUNK channels of a box, SWIZZLE, NAN_FILL, POSITIONS pixels of a box.

#include "tensor_copy.cuh"

struct Layer {
  int images, depth, out_y, out_x, channels;
  int taps_z, taps_y, taps_x;
  int stride_y, stride_x;
  int padding_z, padding_y, padding_x;
  int dilation;
  float ghost;  // what lies beyond an image
};

#define LAYER_PARAMETERS                                                                         \
  int images, int depth, int out_y, int out_x, int channels, int taps_z, int taps_y, int taps_x, \
      int stride_y, int stride_x, int padding_z, int padding_y, int padding_x, int dilation,     \
      float ghost
#define LAYER                                                                                     \
  {                                                                                               \
    images, depth, out_y, out_x, channels, taps_z, taps_y, taps_x, stride_y, stride_x, padding_z, \
        padding_y, padding_x, dilation, ghost                                                     \
  }

constexpr int kFilters = 4;  // their outputs lie side by side for each pixel
constexpr int kBoxBytes = 4 * CHUNK * POSITIONS;

// A tap's distance from the first one, and the first of CHUNK channels.
struct Step {
  int tap, z, y, x, channel;
};

__device__ __forceinline__ int steps_of(const Layer& layer) {
  return layer.taps_z * layer.taps_y * layer.taps_x * ((layer.channels + CHUNK - 1) / CHUNK);
}

__device__ __forceinline__ Step step_at(const Layer& layer, int step) {
  const int chunks = (layer.channels + CHUNK - 1) / CHUNK;
  const int tap = step / chunks;
  const int row = tap / layer.taps_x;
  return {tap, row / layer.taps_y * layer.dilation, row % layer.taps_y * layer.dilation,
          tap % layer.taps_x * layer.dilation, step % chunks * CHUNK};
}

// Adds the products of the box's pixel with all filters at that step.
__device__ __forceinline__ void add_products(float (&sums)[kFilters], const unsigned char* box,
                                             int pixel, const float* filters, const Layer& layer,
                                             const Step& step) {
  const int taps = layer.taps_z * layer.taps_y * layer.taps_x;
  for (int c = 0; c < CHUNK && step.channel + c < layer.channels; ++c) {
    const unsigned offset = static_cast<unsigned>(pixel * CHUNK + c) * 4;
    float value = *reinterpret_cast<const float*>(box + swizzled<SWIZZLE>(offset));
    if (NAN_FILL && value != value) value = layer.ghost;
    for (int k = 0; k < kFilters; ++k)
      sums[k] += value * filters[(k * taps + step.tap) * layer.channels + step.channel + c];
  }
}
