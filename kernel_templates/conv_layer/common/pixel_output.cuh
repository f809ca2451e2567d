// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The output, or its copy in nhwc, as a matrix: a row for each pixel, in the order in memory, and a
// column for each channel of one group.

#include "output.cuh"
#include "run.cuh"

struct PixelOutput {
  using Element = ElementOut;
  Output output;
  Matrix<ElementOut> c;  // from the group's first channel on
  int first_channel;

  // Writes N sums side by side, those of them that are within the matrix. `aligned` is
  // c.is_aligned<N>(); the column is a multiple of N then.
  template <int N>
  __device__ __forceinline__ void write(int row, int column, bool aligned,
                                        const Run<N, Sum>& sums) const {
    if (row >= c.rows || column >= c.columns) return;
    const int first = row * output.channels;
    Place place = output.place_in_nhwc(first);
    place.channel = first_channel + column;
    Run<N, ElementOut> values;
#pragma unroll
    for (int i = 0; i < N; ++i, ++place.channel) {
      if (!aligned && column + i >= c.columns) break;
      values.value[i] =
          output.value(place, output.index_of(place, first + place.channel), sums.value[i]);
    }
    store_run<N>(c, row, column, aligned, values);
  }
};

// `filters` columns of `group`, of `pixels` rows, which are written to `written`.
__device__ __forceinline__ PixelOutput pixel_output(const Output& output, ElementOut* written,
                                                    int pixels, int filters, int group) {
  const int first = group * filters;
  return {output, {written + first, pixels, filters, output.channels}, first};
}
__device__ __forceinline__ PixelOutput pixel_output(const Output& output, int pixels, int filters,
                                                    int group) {
  return pixel_output(output, output.elements, pixels, filters, group);
}
