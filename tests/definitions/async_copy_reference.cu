// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// The plain way to compute async_copy.cu's operation: one thread a number, no shared memory.
// Grid: x over a segment, y = segments.
extern "C" __global__ void fold_reference(const float* x, float* y, int segment) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const long long first = static_cast<long long>(blockIdx.y) * segment;
  if (i < segment) y[first + i] = x[first + i] + 0.5f * x[first + segment - 1 - i];
}
