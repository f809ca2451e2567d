// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "filter_types.cuh"

// No step: the output is the field. Grid: x and y cover a plane, z = planes, each block taking
// every 65535th.
extern "C" __global__ void stencil3d_copy(const Element* __restrict__ field,
                                          Element* __restrict__ output, int width, int height,
                                          int pitch, int planes) {
  const int row = static_cast<int>(blockIdx.y) * BLOCK_Y + static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * BLOCK_X + static_cast<int>(threadIdx.x);
  if (row >= height || column >= width) return;
  for (int plane = static_cast<int>(blockIdx.z); plane < planes;
       plane += static_cast<int>(gridDim.z)) {
    const int index = (plane * height + row) * pitch + column;
    output[index] = field[index];
  }
}
