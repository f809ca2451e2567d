// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// y[r] = the sum of row r of x, in double precision. A thread has a row.
extern "C" __global__ void row_sums_reference(const float* x, float* y, int width, int height) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= height) return;
  double sum = 0;
  for (int column = 0; column < width; ++column)
    sum += x[static_cast<long long>(row) * width + column];
  y[row] = static_cast<float>(sum);
}
