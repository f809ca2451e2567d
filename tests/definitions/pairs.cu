// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Whether t[i] and t[i + j] differ by less than 0.1, for each i and the j below `window`.

extern "C" __global__ void pairs(const float* t, unsigned char* near_by, int n, int window) {
  const int i = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);
  if (i >= n) return;
  for (int j = 0; j < window; ++j)
    near_by[static_cast<long long>(j) * n + i] = i + j < n && fabsf(t[i] - t[i + j]) < 0.1f;
}
