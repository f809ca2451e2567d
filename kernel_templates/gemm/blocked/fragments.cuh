// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// From shared memory to registers, and the multiply-adds.

#include "geometry.cuh"
#include "run.cuh"
#include "types.cuh"

// What tiles in shared memory hold. Copies that go on by themselves change no type, so elements
// change on their way to a fragment; those that come through registers have changed before.
constexpr bool kKeepsTypes = LOADING != LOADING_REGISTERS;
using TileElementA = Choose<kKeepsTypes, ElementA, Sum>::Type;
using TileElementB = Choose<kKeepsTypes, ElementB, Sum>::Type;

// One operand of a thread's products for DEPTH ks and COUNT positions.
template <int COUNT, int DEPTH, bool POSITIONS>
struct FragmentOf {
  Run<4, Sum> runs[COUNT * DEPTH / 4];  // of four ks of a position, or four positions at a k

  __device__ __forceinline__ Sum at(int position, int k) const {
    if constexpr (POSITIONS)
      return runs[position * (DEPTH / 4) + k / 4].value[k % 4];
    else
      return runs[k * (COUNT / 4) + position / 4].value[position % 4];
  }
};

// A fragment has the ks of one access to shared memory along K, or one.
constexpr int kFragmentDepth = kPositionsA || kPositionsB ? 4 : 1;

struct Fragment {
  FragmentOf<THREAD_M, kFragmentDepth, kPositionsA> a;
  FragmentOf<THREAD_N, kFragmentDepth, kPositionsB> b;
};

// Reads a fragment; `index_of` gives the distance from `first` of a position and a k of the
// fragment, which the compiler folds into the instruction.
template <int COUNT, int DEPTH, bool POSITIONS, class T, class IndexOf>
__device__ __forceinline__ void read_fragment(FragmentOf<COUNT, DEPTH, POSITIONS>& fragment,
                                              const T* first, const IndexOf& index_of) {
  constexpr int kAcross = POSITIONS ? DEPTH / 4 : COUNT / 4;
#pragma unroll
  for (int i = 0; i < COUNT * DEPTH / 4; ++i) {
    const int index =
        POSITIONS ? index_of(i / kAcross, i % kAcross * 4) : index_of(i % kAcross * 4, i / kAcross);
    fragment.runs[i] = run_to<Sum>(*reinterpret_cast<const Run<4, T>*>(first + index));
  }
}

using Sums = Sum[THREAD_M][THREAD_N];

__device__ __forceinline__ void multiply_add(Sums& sums, const Fragment& fragment, int i, int j,
                                             int k) {
  sums[i][j] += fragment.a.at(i, k) * fragment.b.at(j, k);
}

// The products for k `k` of the fragment. The order decides which operands an instruction shares
// with the one before it, and with that how many it reads from the register file. The compiler
// keeps most of it.
__device__ __forceinline__ void multiply_add(Sums& sums, const Fragment& fragment, int k) {
  if constexpr (ORDER == ORDER_SERPENTINE) {
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
      for (int j = 0; j < THREAD_N; ++j)
        multiply_add(sums, fragment, i, i % 2 == 1 ? THREAD_N - 1 - j : j, k);
  } else {  // squares of two by two, down and up the rows
#pragma unroll
    for (int j = 0; j < THREAD_N; j += 2)
#pragma unroll
      for (int m = 0; m < THREAD_M; m += 2) {
        const int up = j / 2 % 2;
        const int i = up ? THREAD_M - 2 - m : m;
        multiply_add(sums, fragment, i + up, j, k);
        multiply_add(sums, fragment, i + up, j + 1, k);
        multiply_add(sums, fragment, i + 1 - up, j + 1, k);
        multiply_add(sums, fragment, i + 1 - up, j, k);
      }
  }
}
