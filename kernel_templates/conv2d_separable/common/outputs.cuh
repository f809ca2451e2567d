// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// How a thread's outputs leave it.

#include "image_output.cuh"
#include "layout.cuh"

// DOWN rows of ACROSS neighbours, the first at (row, column), as far as the plane goes.
template <int DOWN, int ACROSS>
__device__ __forceinline__ void write_outputs(const Output& output, const Plane& plane, int row,
                                              int column, const Sum (&sums)[DOWN][ACROSS]) {
  // Of a row that is not made of runs, every output is written by itself.
  const bool aligned = VECTOR % ACROSS == 0 || plane.pitch % ACROSS == 0;
#pragma unroll
  for (int y = 0; y < DOWN; ++y) {
    if (row + y >= plane.height) return;
    if (aligned) {
      write_run<ACROSS, false>(output.plane, row + y, column, sums[y], output);
    } else {
#pragma unroll
      for (int x = 0; x < ACROSS; ++x)
        write_run<1, false>(output.plane, row + y, column + x, &sums[y][x], output);
    }
  }
}

// The planes that a block filters: every gridDim.z-th.
struct Planes {
  const Element* image;
  Element* output;
  int width, height, pitch, channels;

  __device__ __forceinline__ Plane plane(int index) const {
    return {image + first(index), width, height, pitch, index};
  }
  __device__ __forceinline__ Output target(int index, const Epilogue& epilogue) const {
    return {{output + first(index), width, height, pitch},
            index % channels,
            index / channels,
            first(index),
            epilogue};
  }

 private:
  __device__ __forceinline__ int first(int index) const { return index * (height * pitch); }
};
