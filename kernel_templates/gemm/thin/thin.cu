// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// C = epilogue(alpha · op(A) · op(B) + beta · C) in FP32 for C of at most 16 rows or columns, any
// other sizes ≥ 1, leading dimensions, transposes and batch; C is read only with
// PROBLEM_ACCUMULATE. What takes the time is reading the wide operand once, so every thread has
// several steps of it on their way while it works on one; the thin operand comes in chunks for the
// whole block. A block's threads share its part of K and add their sums
// through shared memory.
//
// SIDE      which side of C is thin                          rows, columns: at most 16 of them
// ACROSS    threads of a block along the wide side           1 … 256; ACROSS · ALONG from 64 to 512
// ALONG     threads of a block along K                       1 … 256
// VECTOR    floats in an access to the wide operand          1, 2, 4: its leading dimension, its
//                                                            rows' length and its stride are
//                                                            multiples of it
// RUNS      such accesses of a thread side by side along     1, 2, 4, 8; a thread has at most 128
//           the wide side                                    sums, a block a multiple of 4
//           positions
// LOADING   where those steps are on their way to            registers; ahead: registers, started
//                                                            before the products of the step in
//                                                            their place; async: shared memory
// STAGES    how many there are                               1 …
// CHUNK     ks of the thin operand in shared memory          a multiple of a step's, at least
// STAGES
//                                                            of them
// SPLIT_K   blocks that share the outputs of one             1 …; the last to arrive adds their
//                                                            sums, in order
// THIN_VECTOR  floats in a copy of the thin operand          1, 4: K, its leading dimension and its
//                                                            stride are multiples of it, and it is
//                                                            contiguous along K
// SHAPE     whether M, N, K, lda, ldb are macros             launch, compiled
// MIN_BLOCKS  blocks that must fit on an SM                  1 …
// PROBLEM_M or PROBLEM_N (the thin side), PROBLEM_TRANSPOSE_A, PROBLEM_TRANSPOSE_B,
// PROBLEM_ACCUMULATE; PROBLEM_M, N, K, LDA, LDB with SHAPE compiled
//
// A step is ALONG · VECTOR ks where the wide operand is contiguous along K, else ALONG · 4, as runs
// of VECTOR positions. Shared memory, bytes: 4 · max(chunks · (CHUNK + 4) · the thin side + STAGES
// · the step's floats; ALONG · min(8, thin side) · positions of a block, + ALONG where the wide
// operand is contiguous along K), with one chunk where SHAPE is compiled and it holds a part of K,
// else two. Grid: x = ceil(wide side / positions of a block), y = SPLIT_K, z = batch. Workspace
// with SPLIT_K > 1: one counter a block of outputs, zero before the first call, padded to 64; then
// the parts' sums as [block][part][thin][position].

#include "block_sums.cuh"
#include "last_block.cuh"
#include "output.cuh"

// Writes N of the block's outputs from their sums; `index` is that of the first in
// [thin][position], `first` the block's first position.
template <int N>
__device__ __forceinline__ void write_outputs(const Output& output, int first, int index,
                                              const Run<N>& sums) {
  const int thin = index / kBlockPositions;
  const int wide = first + index % kBlockPositions;
#if SIDE == SIDE_ROWS
  output.write<N>(thin, wide, output.c.is_aligned<N>(), sums);
#else
#pragma unroll
  for (int i = 0; i < N; ++i) output.write<1>(wide + i, thin, true, {{sums.value[i]}});
#endif
}

// The sum of all parts of sums `index` to `index` + 3.
__device__ __forceinline__ Run<4> add_parts(const float* parts, int index) {
  Run<4> sum = {};
#pragma unroll 16
  for (int part = 0; part < SPLIT_K; ++part) {
    const float4 next =
        __ldcg(reinterpret_cast<const float4*>(parts + (part * kBlockSums + index)));
    add(sum, {{next.x, next.y, next.z, next.w}});
  }
  return sum;
}

// Writes the block's outputs from their sums; with SPLIT_K, the last of the blocks that share them
// does that.
__device__ __forceinline__ void write_sums(const Output& output, int first, const Sums& sums,
                                           unsigned* workspace) {
#if SPLIT_K == 1
  add_along_k(sums, [&](int index, const Run<kShareRun>& run) {
    write_outputs(output, first, index, run);
  });
#else
  const unsigned blocks = gridDim.x * gridDim.z;
  const unsigned block = blockIdx.z * gridDim.x + blockIdx.x;
  float* const parts = reinterpret_cast<float*>(workspace + (blocks + 63) / 64 * 64) +
                       static_cast<long long>(block) * (SPLIT_K * kBlockSums);
  auto* const part =
      reinterpret_cast<Run<kShareRun>*>(parts + static_cast<int>(blockIdx.y) * kBlockSums);
  add_along_k(sums, [&](int index, const Run<kShareRun>& run) { part[index / kShareRun] = run; });
  if (!is_last_block(workspace + block, SPLIT_K, shared)) return;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x) * 4; i < kBlockSums; i += kThreads * 4)
    write_outputs(output, first, i, add_parts(parts, i));
#endif
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    gemm_thin(const float* __restrict__ a, const float* __restrict__ b, float* c, float alpha,
              float beta, int launch_m, int launch_n, int launch_k, int launch_lda, int launch_ldb,
              int ldc, int stride_a, int stride_b, int stride_c,
              unsigned* workspace EPILOGUE_PARAMETERS) {
#if SHAPE == SHAPE_COMPILED
  constexpr int M = PROBLEM_M, N = PROBLEM_N, K = PROBLEM_K;
  constexpr int lda = PROBLEM_LDA, ldb = PROBLEM_LDB;
#else
  const int M = launch_m, N = launch_n, K = launch_k, lda = launch_lda, ldb = launch_ldb;
#endif
  constexpr bool kRows = SIDE == SIDE_ROWS;
  const int matrix = static_cast<int>(blockIdx.z);
  const int first = static_cast<int>(blockIdx.x) * kBlockPositions;
  const int depth = ((K + SPLIT_K - 1) / SPLIT_K + 3) / 4 * 4;  // of a part
  const int first_k = static_cast<int>(blockIdx.y) * depth;
  const int last_k = min(K, first_k + depth);
  Sums sums = {};
  add_products(sums, {kRows ? a + matrix * stride_a : b + matrix * stride_b, kRows ? lda : ldb},
               {kRows ? b + matrix * stride_b : a + matrix * stride_a, kRows ? ldb : lda,
                kRows ? N : M, first},
               first_k, last_k);
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  write_sums(make_output(c, M, N, ldc, stride_c, alpha, beta, epilogue), first, sums, workspace);
}
