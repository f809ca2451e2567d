// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Products on tensor cores by one warp. A step of a product has 32 bytes of ks. A fragment is what
// a warp holds of 16 rows of one factor, or of 16 columns of the other, for one step: in four words
// of each lane, one for each eight of the positions and half of the ks. Rows have the words of the
// first half before those of the second, columns the words of eight positions before those of the
// others, because a product takes both of 8 columns as a pair of registers. Lane l has position l /
// 4 of the eight, and the four bytes of the half from byte l % 4 · 4 on. Of doubles, of which a
// step has four ks, words 0 and 1 are the one at k l % 4 of the first eight positions, 2 and 3 of
// the others.
//
// Of 16 × 8 sums, lane l has rows l / 4 and l / 4 + 8 and columns l % 4 · 2 and the one after it.
// Its sums 0 and 1 are of the first row.
//
// On the host device lanes cannot exchange registers, so there a fragment has all the ks of the
// positions of a lane's own sums.
// After: NVIDIA, PTX ISA, ldmatrix and matrix fragments for mma.

#include "element.cuh"
#include "swizzled_tile.cuh"
#include "tensor_products.cuh"

enum class Side { rows, columns };

constexpr int kStepBytes = 32;

__device__ __forceinline__ int lane_of_warp() {
  return static_cast<int>(threadIdx.x % 32);
}

#if defined(__CUDA_ARCH__)

template <class T, Side SIDE>
struct Fragment {
  alignas(8) unsigned words[4];
};

// Four matrices of 8 rows of 16 bytes; lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void load_matrices(unsigned (&words)[4], const char* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(shared_address(row))
               : "memory");
}

// The same, each matrix of two-byte elements transposed.
__device__ __forceinline__ void load_transposed(unsigned (&words)[4], const char* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(shared_address(row))
               : "memory");
}

// Where word `word` of a fragment lies: after the first eight positions, after the first half.
template <Side SIDE>
__device__ __forceinline__ bool is_of_last_positions(int word) {
  return (SIDE == Side::rows ? word % 2 : word / 2) == 1;
}
template <Side SIDE>
__device__ __forceinline__ bool is_of_last_half(int word) {
  return (SIDE == Side::rows ? word / 2 : word % 2) == 1;
}

// Where this lane begins to read fragments of a warp whose positions begin at `position`, a
// multiple of 16, of a tile.
template <class TILE, Side SIDE>
__device__ __forceinline__ int lane_place(int position) {
  const int lane = lane_of_warp();
  const int positions = is_of_last_positions<SIDE>(lane / 8) ? 8 : 0;
  const int half = is_of_last_half<SIDE>(lane / 8) ? 1 : 0;
  if constexpr (TILE::kElementsOfUnit == 2)
    return TILE::offset(position + lane / 4, lane % 4);
  else if constexpr (TILE::kAlongK)
    return TILE::offset(position + positions + lane % 8, half * TILE::kElementsOfUnit);
  else if constexpr (TILE::kElementsOfUnit == 8)
    return TILE::offset(position + positions, half * 8 + lane % 8);
  else
    return TILE::offset(position + lane / 4, lane % 4);
}

// The fragment `positions` and `ks` on from lane_place(), constants and multiples of 16 and of a
// step. What has no ks side by side has elements of two bytes, which ldmatrix transposes, or of
// four.
template <class TILE, class T, Side SIDE>
__device__ __forceinline__ void read_fragment(Fragment<T, SIDE>& fragment, const char* tile,
                                              int place, int positions, int ks) {
  const char* const row = tile + TILE::moved(place, positions, ks);
  if constexpr (sizeof(T) == 8) {
    const char* const last = tile + TILE::moved(place, positions + 8, ks);
    *reinterpret_cast<uint2*>(fragment.words) = *reinterpret_cast<const uint2*>(row);
    *reinterpret_cast<uint2*>(fragment.words + 2) = *reinterpret_cast<const uint2*>(last);
  } else if constexpr (TILE::kAlongK) {
    load_matrices(fragment.words, row);
  } else if constexpr (sizeof(T) == 2) {
    load_transposed(fragment.words, row);
  } else {
    static_assert(sizeof(T) == 4, "single bytes have their ks side by side");
    const char* const last = tile + TILE::moved(place, positions + 8, ks);
#pragma unroll
    for (int word = 0; word < 4; ++word)
      fragment.words[word] = *reinterpret_cast<const unsigned*>(
          (is_of_last_positions<SIDE>(word) ? last : row) +
          (is_of_last_half<SIDE>(word) ? 4 * TILE::kLineBytes : 0));
  }
}

// Adds the products of 16 rows and 8 columns, the first or the last of `b`'s: `half` is 0 or 1.
template <class Sum, class A, class B>
__device__ __forceinline__ void multiply_add(Sum (&sums)[4], const Fragment<A, Side::rows>& a,
                                             const Fragment<B, Side::columns>& b, int half) {
  add_products_of_step<A, B>(sums, a.words, b.words[2 * half], b.words[2 * half + 1]);
}

#else

template <class T, Side SIDE>
struct Fragment {
  static constexpr int kPositions = SIDE == Side::rows ? 2 : 4;
  static constexpr int kDepth = kStepBytes / sizeof(T);
  decltype(widened(T{})) values[kPositions][kDepth];

  // Position `i` of this lane's, of the sixteen.
  static __device__ int position(int i) {
    const int lane = lane_of_warp();
    return SIDE == Side::rows ? lane / 4 + 8 * i : i / 2 * 8 + lane % 4 * 2 + i % 2;
  }
};

template <class TILE, Side SIDE>
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

template <class Sum, class A, class B>
__device__ void multiply_add(Sum (&sums)[4], const Fragment<A, Side::rows>& a,
                             const Fragment<B, Side::columns>& b, int half) {
  for (int s = 0; s < 4; ++s)
    for (int d = 0; d < Fragment<A, Side::rows>::kDepth; ++d)
      sums[s] += a.values[s / 2][d] * b.values[2 * half + s % 2][d];
}

#endif

// Until all lanes of the warp are here, and see what the others wrote to shared memory. All warps
// of the block call it equally often, because on the host device the whole block waits.
__device__ __forceinline__ void warp_barrier() {
  ON_GPU(__syncwarp());
  ON_HOST(__syncthreads());
}
