// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Tensor maps, which tell bulk copies where the boxes of a tensor lie (sm_90 and later, and the
// host device). After: NVIDIA, CUDA Programming Guide, tensor maps.

#include "target.cuh"

// As a manifest's { tensor_map = … } passes it; parameters of this type are
// `const __grid_constant__`. Where a box begins outside the tensor or reaches beyond it, zeros
// come, or NaN if the manifest says so.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

// Fetches the map itself, ahead of the first copy.
__device__ __forceinline__ void prefetch_map(const TensorMap& map) {
  ON_GPU(asm volatile("prefetch.tensormap [%0];\n" ::"l"(&map) : "memory"));
}

// Where the hardware puts what lies `offset` bytes into a box of a map with a swizzle of SPAN_BYTES
// (0, 32, 64 or 128): units of 16 bytes change places. The box begins at a multiple of 8 ·
// SPAN_BYTES.
template <int SPAN_BYTES>
__device__ __forceinline__ constexpr unsigned swizzled(unsigned offset) {
  return SPAN_BYTES == 0 ? offset : offset ^ (offset >> 3 & (SPAN_BYTES / 16 - 1) << 4);
}
