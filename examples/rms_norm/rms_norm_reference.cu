// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// One thread for each row, in double.
__global__ void rms_norm_reference(const float* x, float* y, float epsilon, int columns, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += static_cast<long long>(row) * columns;
  y += static_cast<long long>(row) * columns;
  double sum = 0;
  for (int i = 0; i < columns; ++i) sum += static_cast<double>(x[i]) * x[i];
  for (int i = 0; i < columns; ++i) y[i] = x[i] / sqrt(sum / columns + epsilon);
}
