// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// A thread for each element; the numbers are only bits.
extern "C" __global__ void negate_reference(const unsigned short* x, unsigned short* y, int width,
                                            int height) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  if (column >= width) return;
  const long long place = static_cast<long long>(row) * width + column;
  const unsigned short below = row + 1 < height ? x[place + width] : 0;
  y[place] = static_cast<unsigned short>(below ^ 0x8000);
}
