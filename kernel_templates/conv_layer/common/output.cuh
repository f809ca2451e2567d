// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What becomes of a sum of a layer: epilogue(alpha · sum (+ beta · output)), and where it lies.
// PROBLEM_LAYOUT and PROBLEM_ACCUMULATE are the operation's choices; with accumulate=no the output
// is never read. A kernel whose pixels have their channels side by side, and nothing else, writes
// to a copy of the output in nhwc, which arranging.cu transposes.

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

// What such a kernel has behind its workspace, and where it writes.
#if TERM_COPIES_OUTPUT
#define COPY_PARAMETER , ElementOut* copy
#define WRITTEN(output) copy
#else
#define COPY_PARAMETER
#define WRITTEN(output) output
#endif

struct Output {
  ElementOut* elements;
  int channels;
  int width;
  int height;
  int depth;
  Real alpha;
  Real beta;
  Epilogue epilogue;

  __device__ __forceinline__ int index_in_nhwc(const Place& place) const {
    return (((place.batch * depth + place.plane) * height + place.row) * width + place.column) *
               channels +
           place.channel;
  }
  __device__ __forceinline__ int index_of(const Place& place) const {
    if (PROBLEM_LAYOUT == LAYOUT_NHWC) return index_in_nhwc(place);
    return (((place.batch * channels + place.channel) * depth + place.plane) * height + place.row) *
               width +
           place.column;
  }

  // The index of the place, whose index in nhwc is known.
  __device__ __forceinline__ int index_of(const Place& place, int in_nhwc) const {
    return PROBLEM_LAYOUT == LAYOUT_NHWC ? in_nhwc : index_of(place);
  }

  // The counterparts of index_in_nhwc() and index_of().
  __device__ __forceinline__ Place place_in_nhwc(int index) const { return place_in<true>(index); }
  __device__ __forceinline__ Place place_of(int index) const {
    return place_in<PROBLEM_LAYOUT == LAYOUT_NHWC>(index);
  }
  template <bool NHWC>
  __device__ __forceinline__ Place place_in(int index) const {
    Place place = {};
    const auto next = [&](int length) {
      const int found = index % length;
      index /= length;
      return found;
    };
    if (NHWC) place.channel = next(channels);
    place.column = next(width);
    place.row = next(height);
    place.plane = next(depth);
    if (!NHWC) place.channel = next(channels);
    place.batch = index;
    return place;
  }

  // What becomes of a sum at the place, whose index is given.
  __device__ __forceinline__ Real result(const Place& place, int index, Real sum) const {
    Real value = alpha * sum;
    if (PROBLEM_ACCUMULATE) value += beta * to<Real>(elements[index]);
    return epilogue(value, place.plane, place.row, place.column, place.channel, place.batch, index);
  }
  __device__ __forceinline__ ElementOut value(const Place& place, int index, Sum sum) const {
    return to<ElementOut>(result(place, index, to<Real>(sum)));
  }
};
