// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Products on tensor cores by one warp (PTX ldmatrix and mma.sync; sm_80 and later, sm_75 for
// Half). A step of a product has 32 bytes of ks: 16 of two-byte elements. A fragment is what a warp
// holds of 16 rows of one factor, or of 16 columns of the other, for one step. Both lie in the
// registers alike: word 0 has positions 0 to 7 and the first half of the ks, word 1 positions 8 to
// 15, words 2 and 3 the same of the second half; lane l has position l / 4 of the eight, and the l
// % 4th four bytes of the half. Of 16 × 8 sums, lane l has rows l / 4 and l / 4 + 8 and columns 2 ·
// (l % 4) and the one after it: sums 0 and 1 are of the first row.
//
// On the host device lanes cannot exchange registers, so there a fragment has all the ks of the
// positions of a lane's own sums.
// After: NVIDIA, PTX ISA, matrix fragments for mma.m16n8k16 and ldmatrix.

#include "element.cuh"
#include "swizzled_tile.cuh"

enum class Side { rows, columns };

constexpr int kStepBytes = 32;

__device__ __forceinline__ int lane_of_warp() {
  return static_cast<int>(threadIdx.x % 32);
}

#if defined(__CUDA_ARCH__)

template <class T, Side SIDE>
struct Fragment {
  unsigned words[4];
};

// Four matrices of 8 rows of 16 bytes; lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void load_matrices(unsigned (&words)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

// The same, each matrix of two-byte elements transposed.
__device__ __forceinline__ void load_transposed(unsigned (&words)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

// Where this lane begins to read fragments of a warp whose positions begin at `position` of a tile.
template <class TILE>
__device__ __forceinline__ int lane_place(int position) {
  const int lane = lane_of_warp();
  if constexpr (TILE::kAlongK)
    return TILE::offset(position + lane % 16, lane / 16 * TILE::kElementsOfUnit);
  else
    return TILE::offset(position + lane / 8 % 2 * 8, lane % 8 + lane / 16 * 8);
}

// The fragment `positions` and `ks` on from lane_place(), constants and multiples of 16 and of a
// step.
template <class TILE, class T, Side SIDE>
__device__ __forceinline__ void read_fragment(Fragment<T, SIDE>& fragment, const char* tile,
                                              int place, int positions, int ks) {
  const char* const row = tile + TILE::moved(place, positions, ks);
  if constexpr (TILE::kAlongK) {
    load_matrices(fragment.words, row);
  } else {
    static_assert(sizeof(T) == 2, "ldmatrix transposes two-byte elements");
    load_transposed(fragment.words, row);
  }
}

__device__ __forceinline__ void multiply_add(float (&sums)[4], const unsigned (&a)[4],
                                             unsigned b_low, unsigned b_high, Half) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
#else
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%8}, "
      "{%0, %1, %2, %3};\n\t"
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%6, %7}, {%9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
#endif
}
__device__ __forceinline__ void multiply_add(float (&sums)[4], const unsigned (&a)[4],
                                             unsigned b_low, unsigned b_high, BFloat16) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
}

// Adds the products of 16 rows and 8 columns, the first or the last of `b`'s: `half` is 0 or 1.
template <class T>
__device__ __forceinline__ void multiply_add(float (&sums)[4], const Fragment<T, Side::rows>& a,
                                             const Fragment<T, Side::columns>& b, int half) {
  multiply_add(sums, a.words, b.words[half], b.words[2 + half], T{});
}

#else

template <class T, Side SIDE>
struct Fragment {
  static constexpr int kPositions = SIDE == Side::rows ? 2 : 4;
  static constexpr int kDepth = kStepBytes / sizeof(T);
  float values[kPositions][kDepth];

  // Position `i` of this lane's, of the sixteen.
  static __device__ int position(int i) {
    const int lane = lane_of_warp();
    return SIDE == Side::rows ? lane / 4 + 8 * i : i / 2 * 8 + lane % 4 * 2 + i % 2;
  }
};

template <class TILE>
__device__ int lane_place(int position) {
  return position;
}

template <class TILE, class T, Side SIDE>
__device__ void read_fragment(Fragment<T, SIDE>& fragment, const char* tile, int place,
                              int positions, int ks) {
  using Kind = Fragment<T, SIDE>;
  for (int i = 0; i < Kind::kPositions; ++i)
    for (int d = 0; d < Kind::kDepth; ++d)
      fragment.values[i][d] = widened(*reinterpret_cast<const T*>(
          tile + TILE::offset(place + positions + Kind::position(i), ks + d)));
}

template <class T>
__device__ void multiply_add(float (&sums)[4], const Fragment<T, Side::rows>& a,
                             const Fragment<T, Side::columns>& b, int half) {
  for (int s = 0; s < 4; ++s)
    for (int d = 0; d < Fragment<T, Side::rows>::kDepth; ++d)
      sums[s] += a.values[s / 2][d] * b.values[2 * half + s % 2][d];
}

#endif

// Until all lanes of the warp are here, and see what the others wrote to shared memory. All warps
// of the block call it equally often, because on the host device the whole block waits.
__device__ __forceinline__ void warp_barrier() {
#if defined(__CUDA_ARCH__)
  __syncwarp();
#else
  __syncthreads();
#endif
}
