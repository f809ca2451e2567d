// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Where the outputs of a plane of a batch of images go, and through what.

#include "epilogue.cuh"
#include "plane_output.cuh"

struct Output {
  OutputPlane plane;
  int channel;
  int batch;
  int first;  // place of the plane's first sample in the whole output
  Epilogue epilogue;

  __device__ __forceinline__ Element operator()(Sum sum, int row, int column) const {
    return to<Element>(
        epilogue(sum, row, column, channel, batch, first + row * plane.pitch + column));
  }
};
