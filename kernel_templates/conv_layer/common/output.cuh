// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What becomes of a sum of a layer: epilogue(alpha · sum (+ beta · output)), and where it lies.
// PROBLEM_LAYOUT and PROBLEM_ACCUMULATE are the operation's choices; with accumulate=no the output
// is never read.

#include "epilogue.cuh"
#include "types.cuh"

// An element of the output.
struct Place {
  int batch;
  int plane;
  int row;
  int column;
  int channel;
};

struct Output {
  ElementOut* elements;
  int channels;
  int width;
  int height;
  int depth;
  Real alpha;
  Real beta;
  Epilogue epilogue;

  __device__ __forceinline__ int index_of(const Place& place) const {
    if (PROBLEM_LAYOUT == LAYOUT_NHWC)
      return (((place.batch * depth + place.plane) * height + place.row) * width + place.column) *
                 channels +
             place.channel;
    return (((place.batch * channels + place.channel) * depth + place.plane) * height + place.row) *
               width +
           place.column;
  }

  // The counterpart of index_of().
  __device__ __forceinline__ Place place_of(int index) const {
    Place place = {};
    const auto next = [&](int length) {
      const int found = index % length;
      index /= length;
      return found;
    };
    if (PROBLEM_LAYOUT == LAYOUT_NHWC) place.channel = next(channels);
    place.column = next(width);
    place.row = next(height);
    place.plane = next(depth);
    if (PROBLEM_LAYOUT == LAYOUT_NCHW) place.channel = next(channels);
    place.batch = index;
    return place;
  }

  // What is stored at the place, whose index is given.
  __device__ __forceinline__ ElementOut value(const Place& place, int index, Sum sum) const {
    Real value = alpha * to<Real>(sum);
    if (PROBLEM_ACCUMULATE) value += beta * to<Real>(elements[index]);
    return to<ElementOut>(
        epilogue(value, place.plane, place.row, place.column, place.channel, place.batch, index));
  }
};
