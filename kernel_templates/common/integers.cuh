// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Arithmetic of sizes that are known when a kernel is compiled, and that NVRTC has no header for.

__host__ __device__ constexpr int round_up(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}
__host__ __device__ constexpr int smaller(int a, int b) {
  return a < b ? a : b;
}
