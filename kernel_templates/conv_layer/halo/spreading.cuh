// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Filters are spread before, with several LEFT_ROWS or groups: for each tap row and column, 64 left
// positions of each band, with the channels of the image that the band meets.

#include "geometry.cuh"

#if LEFT_ROWS > 1 || PROBLEM_GROUPS > 1
constexpr int kSpreadThreads = 256;

// Grid: x = ceil(elements of the spread filters / kSpreadThreads).
extern "C" __global__ void __launch_bounds__(kSpreadThreads)
    conv_layer_halo_spread(const Element* __restrict__ filter, Element* __restrict__ spread,
                           int channels_in, int channels_out) {
  const int in_group = channels_in / PROBLEM_GROUPS;
  const int out_of_group = channels_out / PROBLEM_GROUPS;
  const int of_band = kGrouped ? TERM_GROUPED_CHANNELS : channels_in;
  const int lefts = kGrouped ? (channels_out + 63) / 64 * 64 : 64;
  const int index = static_cast<int>(blockIdx.x * kSpreadThreads + threadIdx.x);
  if (index >= kTaps * lefts * of_band) return;
  const int left = index / of_band % lefts;
  const int tap = index / (lefts * of_band);
  const int row = tap / PROBLEM_FILTER_WIDTH - left % 64 / kRowChannels;
  const int channel = left / 64 * 64 + left % kRowChannels;
  const int channel_in = left / 64 * of_band + index % of_band;
  const bool is_met = row >= 0 && row < PROBLEM_FILTER_HEIGHT && channel < channels_out &&
                      channel / out_of_group == channel_in / in_group;
  Element element = {};
  if (is_met && PROBLEM_FILTER_LAYOUT == FILTER_LAYOUT_KRSC)
    element = filter[((channel * PROBLEM_FILTER_HEIGHT + row) * PROBLEM_FILTER_WIDTH +
                      tap % PROBLEM_FILTER_WIDTH) *
                         in_group +
                     channel_in % in_group];
  else if (is_met)
    element = filter[((channel * in_group + channel_in % in_group) * PROBLEM_FILTER_HEIGHT + row) *
                         PROBLEM_FILTER_WIDTH +
                     tap % PROBLEM_FILTER_WIDTH];
  spread[index] = element;
}
#endif
