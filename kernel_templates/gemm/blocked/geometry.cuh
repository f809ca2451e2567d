// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Who computes what: blocks of C, warps of a block, lanes of a warp, outputs of a thread.

#include "tile_order.cuh"

constexpr int kLanesM = 32 / LANES_N;
constexpr int kWarpM = kLanesM * THREAD_M;
constexpr int kWarpN = LANES_N * THREAD_N;
constexpr int kWarpsN = BLOCK_N / kWarpN;
constexpr int kThreads = TERM_THREADS;

// Sizes that are compiled in.
#if SHAPE == SHAPE_COMPILED
constexpr bool kIsCompiledIn = true;
constexpr int kM = PROBLEM_M, kN = PROBLEM_N, kK = PROBLEM_K, kLda = PROBLEM_LDA,
              kLdb = PROBLEM_LDB;
#else
constexpr bool kIsCompiledIn = false;
constexpr int kM = 0, kN = 0, kK = 0, kLda = 0, kLdb = 0;
#endif

// Tiles in shared memory have a k in each row, except that what is contiguous along K in global
// memory may have a row of op(A) or a column of op(B) in each.
constexpr bool kPackedA = TERM_PACKS_A;
constexpr bool kPackedB = TERM_PACKS_B;
constexpr bool kContiguousA = PROBLEM_TRANSPOSE_A == TRANSPOSE_A_NO && !kPackedA;
constexpr bool kContiguousB = PROBLEM_TRANSPOSE_B == TRANSPOSE_B_YES && !kPackedB;
constexpr bool kPositionsA = kContiguousA && LAYOUT == LAYOUT_POSITIONS;
constexpr bool kPositionsB = kContiguousB && LAYOUT == LAYOUT_POSITIONS;

// A thread's rows lie in runs, neighbouring lanes' runs side by side; its columns likewise. They
// are what it reads from shared memory at a time, where that is not along K.
constexpr int kRunM = kPositionsA ? 1 : 4;
constexpr int kRunN = kPositionsB ? 1 : 4;

static_assert(BLOCK_M % kWarpM == 0 && BLOCK_N % kWarpN == 0, "warps tile a block");

// A thread's first output in its block's tile. A 128-bit read of shared memory serves two quarters
// of a warp at once only if lanes that differ in their lowest bit alone, or in the one above it
// alone, read the same. The lowest bit belongs to N and the next to M, so both operands' reads are
// like that.
__device__ __forceinline__ MatrixPlace thread_place(int thread) {
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int lane_m = lane / 4 / (LANES_N / 2) * 2 + lane / 2 % 2;
  const int lane_n = lane / 4 % (LANES_N / 2) * 2 + lane % 2;
  return {warp / kWarpsN * kWarpM + lane_m * kRunM, warp % kWarpsN * kWarpN + lane_n * kRunN};
}

// Row `i` and column `j` of a thread's outputs, from its first.
__device__ __forceinline__ int row_offset(int i) {
  return i / kRunM * kLanesM * kRunM + i % kRunM;
}
__device__ __forceinline__ int column_offset(int j) {
  return j / kRunN * LANES_N * kRunN + j % kRunN;
}
