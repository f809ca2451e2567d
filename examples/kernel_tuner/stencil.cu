// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// The mean of a point and its four neighbours. The border of x_new stays as it is.
__global__ void stencil_kernel(float *x_new, float *x_old) {
  int x = blockIdx.x * block_size_x + threadIdx.x;
  int y = blockIdx.y * block_size_y + threadIdx.y;
  if (x < 1 || x >= domain_width - 1 || y < 1 || y >= domain_height - 1) return;
  int at = y * domain_width + x;
  x_new[at] = (x_old[at] + x_old[at - 1] + x_old[at + 1] + x_old[at - domain_width] + x_old[at + domain_width]) / 5.0f;
}
