// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// A program with a tuned kernel and without tilewright. THREADS and UNROLL are in
// `tilewright best … --format defines`.
#include "rms_norm.cu"

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  constexpr int rows = 8192, columns = 4096;
  const std::vector<float> threes(static_cast<std::size_t>(rows) * columns, 3.0F);
  const std::size_t bytes = threes.size() * sizeof(float);
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMemcpy(x, threes.data(), bytes, cudaMemcpyHostToDevice);
  rms_norm<<<rows, THREADS>>>(x, y, 1e-6F, columns);  // as the manifest's launch says
  float last = 0;
  cudaMemcpy(&last, y + threes.size() - 1, sizeof last, cudaMemcpyDeviceToHost);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    std::fprintf(stderr, "rms_norm: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("the last element: %g, expected 1\n", last);
  return std::fabs(last - 1) < 1e-5F ? 0 : 1;
}
