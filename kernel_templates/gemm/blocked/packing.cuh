// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// With PACKED, op(A) or op(B) or both are copied to the workspace first, a k in each row, rows and
// matrices at multiples of four elements: then nothing is left to transpose, and all is read in
// vectors whatever the operand's own alignment.

#include "geometry.cuh"
#include "last_block.cuh"
#include "types.cuh"

constexpr int kPackTile = 64;      // elements each way that a block copies
constexpr int kPackThreads = 256;  // kPackTile side by side
constexpr int kPackStep = kPackThreads / kPackTile;

template <class T>
using PackedTile = T[kPackTile][kPackTile + 1];

__host__ __device__ constexpr int packed_pitch(int positions) {
  return (positions + 3) / 4 * 4;
}

// Copy `matrix` of A in the workspace, and of B, from the next 16 bytes on behind the copies of
// `matrices_a` As.
__device__ __forceinline__ ElementA* packed_a(Counter* workspace, int M, int K, int matrix) {
  return reinterpret_cast<ElementA*>(workspace) +
         static_cast<long long>(matrix) * K * packed_pitch(M);
}
__device__ __forceinline__ ElementB* packed_b(Counter* workspace, int M, int N, int K,
                                              int matrices_a, int matrix) {
  const long long of_a = kPackedA ? static_cast<long long>(matrices_a) * K * packed_pitch(M) : 0;
  const long long bytes = static_cast<long long>(of_a * sizeof(ElementA) + 15) / 16 * 16;
  return reinterpret_cast<ElementB*>(reinterpret_cast<char*>(workspace) + bytes) +
         static_cast<long long>(matrix) * K * packed_pitch(N);
}

// Copies a tile of a matrix of `depth` ks by `positions` from `source`, which is contiguous along k
// or the positions, to rows of packed_pitch(positions), whose last elements become zero. `tile`
// counts along the positions first.
template <bool K_CONTIGUOUS, class T>
__device__ __forceinline__ void pack_tile(PackedTile<T>& elements, const T* __restrict__ source,
                                          int pitch, T* __restrict__ target, int positions,
                                          int depth, int tile) {
  constexpr int kLoads = kPackTile / kPackStep;
  const int tiles = (positions + kPackTile - 1) / kPackTile;
  const int position = tile % tiles * kPackTile;
  const int k = tile / tiles * kPackTile;
  const int across = static_cast<int>(threadIdx.x) / kPackTile;
  const int along = static_cast<int>(threadIdx.x) % kPackTile;
  T loads[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const int line = across + i * kPackStep;
    const int from_k = k + (K_CONTIGUOUS ? along : line);
    const int from_position = position + (K_CONTIGUOUS ? line : along);
    const long long index = K_CONTIGUOUS ? static_cast<long long>(from_position) * pitch + from_k
                                         : static_cast<long long>(from_k) * pitch + from_position;
    loads[i] = from_k < depth && from_position < positions ? source[index] : T{};
  }
#pragma unroll
  for (int i = 0; i < kLoads; ++i) elements[across + i * kPackStep][along] = loads[i];
  __syncthreads();
  const int to_pitch = packed_pitch(positions);
#pragma unroll
  for (int i = across; i < kPackTile; i += kPackStep)
    if (k + i < depth && position + along < to_pitch)
      target[static_cast<long long>(k + i) * to_pitch + (position + along)] =
          K_CONTIGUOUS ? elements[along][i] : elements[i][along];
}

#if PACKED != PACKED_NONE
extern "C" __global__ void __launch_bounds__(kPackThreads)
    gemm_blocked_pack(const ElementA* __restrict__ a, const ElementB* __restrict__ b, int M, int N,
                      int K, int lda, int ldb, int stride_a, int stride_b, Counter* workspace) {
  constexpr bool kAlongA = PROBLEM_TRANSPOSE_A == TRANSPOSE_A_NO;
  constexpr bool kAlongB = PROBLEM_TRANSPOSE_B == TRANSPOSE_B_YES;
  __shared__ union {
    PackedTile<ElementA> a;
    PackedTile<ElementB> b;
  } elements;
  const int matrix = static_cast<int>(blockIdx.z);
  const int matrices_a = stride_a == 0 ? 1 : static_cast<int>(gridDim.z);
  const int tiles_k = (K + kPackTile - 1) / kPackTile;
  const int tiles_a = kPackedA ? (M + kPackTile - 1) / kPackTile * tiles_k : 0;
  const int tile = static_cast<int>(blockIdx.x);
  if (tile < tiles_a) {
    if (matrix < matrices_a)
      pack_tile<kAlongA>(elements.a, a + matrix * stride_a, lda, packed_a(workspace, M, K, matrix),
                         M, K, tile);
  } else if (matrix == 0 || stride_b != 0) {
    pack_tile<kAlongB>(elements.b, b + matrix * stride_b, ldb,
                       packed_b(workspace, M, N, K, matrices_a, matrix), N, K, tile - tiles_a);
  }
}
#endif
