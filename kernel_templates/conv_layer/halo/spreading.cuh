// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// With several LEFT_ROWS, filters are spread before: for each tap row and column, 64 left positions
// with all channels of the image.

#include "geometry.cuh"

#if LEFT_ROWS > 1
constexpr int kSpreadThreads = 256;

// Grid: x = ceil(elements of the spread filters / kSpreadThreads).
extern "C" __global__ void __launch_bounds__(kSpreadThreads)
    conv_layer_halo_spread(const Element* __restrict__ filter, Element* __restrict__ spread,
                           int channels_in, int channels_out) {
  const int index = static_cast<int>(blockIdx.x * kSpreadThreads + threadIdx.x);
  if (index >= kTaps * 64 * channels_in) return;
  const int left = index / channels_in % 64;
  const int tap = index / (64 * channels_in);
  const int row = tap / PROBLEM_FILTER_WIDTH - left / kRowChannels;
  const int channel = left % kRowChannels;
  Element element = {};
  if (row >= 0 && row < PROBLEM_FILTER_HEIGHT && channel < channels_out)
    element = filter[((channel * PROBLEM_FILTER_HEIGHT + row) * PROBLEM_FILTER_WIDTH +
                      tap % PROBLEM_FILTER_WIDTH) *
                         channels_in +
                     index % channels_in];
  spread[index] = element;
}
#endif
