// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// With PACKED, op(A) or op(B)ᵀ or both are copied to the workspace first, their ks side by side and
// every position at a multiple of 16 bytes, which is what tensor maps want of any operand, and what
// multiplications want of all types but those of 16 bits.

#include "geometry.cuh"

constexpr int kPackTile = 64;      // elements each way that a block copies
constexpr int kPackThreads = 256;  // kPackTile side by side

// Elements from one position to the next.
template <class T>
__host__ __device__ constexpr long long packed_pitch(int K) {
  constexpr int kUnit = 16 / static_cast<int>(sizeof(T));
  return (K + kUnit - 1) / kUnit * kUnit;
}

template <class T>
using PackedTile = T[kPackTile][kPackTile + 4 / sizeof(T)];

// A matrix as it lies, its rows `pitch` elements apart: contiguous along k, or along positions.
template <class T>
struct Unpacked {
  const T* elements;
  int pitch;
  int positions;
  int depth;
};

// Copies the tile with that number, which counts along k first.
template <bool ALONG_K, class T>
__device__ __forceinline__ void pack_tile(PackedTile<T>& elements, const Unpacked<T>& from,
                                          T* __restrict__ to, int tile) {
  constexpr int kStep = kPackThreads / kPackTile;
  const int tiles_k = (from.depth + kPackTile - 1) / kPackTile;
  const int k = tile % tiles_k * kPackTile;
  const int position = tile / tiles_k * kPackTile;
  const int across = static_cast<int>(threadIdx.x) / kPackTile;
  const int along = static_cast<int>(threadIdx.x) % kPackTile;
#pragma unroll
  for (int line = across; line < kPackTile; line += kStep) {
    const int from_k = k + (ALONG_K ? along : line);
    const int from_position = position + (ALONG_K ? line : along);
    const long long index = ALONG_K ? static_cast<long long>(from_position) * from.pitch + from_k
                                    : static_cast<long long>(from_k) * from.pitch + from_position;
    if (from_k < from.depth && from_position < from.positions)
      elements[line][along] = from.elements[index];
  }
  __syncthreads();
#pragma unroll
  for (int line = across; line < kPackTile; line += kStep)
    if (k + along < from.depth && position + line < from.positions)
      to[(position + line) * packed_pitch<T>(from.depth) + k + along] =
          ALONG_K ? elements[line][along] : elements[along][line];
}

#if PACKED != PACKED_NONE
// Grid: x = tiles of A if it is packed, then of B; z = the batch.
extern "C" __global__ void __launch_bounds__(kPackThreads)
    gemm_wgmma_pack(const ElementA* __restrict__ a, const ElementB* __restrict__ b, int M, int N,
                    int K, int lda, int ldb, int stride_a, int stride_b, void* workspace) {
  constexpr bool kFromA = PROBLEM_TRANSPOSE_A == TRANSPOSE_A_NO;
  constexpr bool kFromB = PROBLEM_TRANSPOSE_B == TRANSPOSE_B_YES;
  __shared__ union {
    PackedTile<ElementA> a;
    PackedTile<ElementB> b;
  } elements;
  const int matrix = static_cast<int>(blockIdx.z);
  const int tiles_k = (K + kPackTile - 1) / kPackTile;
  const int tiles_a = kPackedA ? (M + kPackTile - 1) / kPackTile * tiles_k : 0;
  const int tile = static_cast<int>(blockIdx.x);
  auto* const packed_a = static_cast<ElementA*>(workspace);
  if (tile < tiles_a) {
    if (matrix == 0 || stride_a != 0)
      pack_tile<kFromA>(elements.a, {a + static_cast<long long>(matrix) * stride_a, lda, M, K},
                        packed_a + matrix * M * packed_pitch<ElementA>(K), tile);
    return;
  }
  if (matrix > 0 && stride_b == 0) return;
  const long long of_a =
      kPackedA ? (stride_a == 0 ? 1 : static_cast<int>(gridDim.z)) * M * packed_pitch<ElementA>(K)
               : 0;
  pack_tile<kFromB>(
      elements.b, {b + static_cast<long long>(matrix) * stride_b, ldb, N, K},
      reinterpret_cast<ElementB*>(packed_a + of_a) + matrix * N * packed_pitch<ElementB>(K),
      tile - tiles_a);
}
#endif
