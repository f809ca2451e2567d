// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// The plain way, in double: a thread for each element, z = planes.
__device__ double element(const float* plane, int row, int column, int width, int height,
                          int pitch) {
  const bool inside = row >= 0 && row < height && column >= 0 && column < width;
  return inside ? plane[static_cast<long long>(row) * pitch + column] : 0.0;
}

extern "C" __global__ void neighbours_reference(const float* x, float* y, int width, int height,
                                                int pitch) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  const long long plane = blockIdx.z;
  if (column >= width) return;
  const float* source = x + plane * height * pitch;
  y[(plane * height + row) * width + column] =
      static_cast<float>(element(source, row - 1, column, width, height, pitch) +
                         0.5 * element(source, row + 1, column, width, height, pitch));
}
