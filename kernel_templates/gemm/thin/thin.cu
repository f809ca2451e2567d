// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// C = epilogue(alpha · op(A) · op(B) + beta · C) for C of at most 16 rows or columns, any
// other sizes ≥ 1, leading dimensions, transposes and batch; C is read only with
// PROBLEM_ACCUMULATE. What takes the time is reading the wide operand once, so every thread has
// several steps of it on their way while it works on one; the thin operand comes in chunks for the
// whole block. A block's threads share its part of K and add their sums
// through shared memory.
//
// SIDE      which side of C is thin                          rows, columns: at most 16 of them
// ACROSS    threads of a block along the wide side           1 … 256; ACROSS · ALONG from 64 to 512
// ALONG     threads of a block along K                       1 … 256
// VECTOR    elements in an access to the wide operand        1, 2, 4, 8, 16: its leading dimension,
//                                                            its rows' length and its stride are
//                                                            multiples of it; 8 and 16 for types
//                                                            of 16 and 8 bits
// RUNS      such accesses of a thread side by side along     1, 2, 4, 8; a thread has at most 128
//           the wide side                                    sums, a block a multiple of 4
//           positions
// LOADING   where those steps are on their way to            registers; ahead: registers, started
//                                                            before the products of the step in
//                                                            their place; async: shared memory
// STAGES    how many there are                               1 …
// CHUNK     ks of the thin operand in shared memory          a multiple of a step's, at least
//                                                            STAGES of them
// SPLIT_K   blocks that share the outputs of one             1 …; the last to arrive adds their
//                                                            sums, in order; with SHAPE launch no
//                                                            macro where it is above 1
// THIN_VECTOR  elements in a copy of the thin operand        1, 4: K, its leading dimension and its
//                                                            stride are multiples of it, and it is
//                                                            contiguous along K; with SHAPE
//                                                            launch no macro, but launch_along_k
// SHAPE     whether M, N, K, lda, ldb are macros             launch, compiled
// MIN_BLOCKS  blocks that must fit on an SM                  1 …
// PROBLEM_M or PROBLEM_N (the thin side), PROBLEM_ACCUMULATE, PROBLEM_TRANSPOSE_A or _B (the wide
// operand's); with SHAPE compiled PROBLEM_M, N, K, LDA, LDB and both transposes
// TYPE_A, TYPE_B, TYPE_C, PROBLEM_PRECISION   types.cuh
//
// launch_along_k: THIN_VECTOR where the thin operand is contiguous along K, else 0.
//
// A step is ALONG · VECTOR ks where the wide operand is contiguous along K, else ALONG · 4, as runs
// of VECTOR positions. Shared memory: the more of the chunks, (CHUNK + 4) · the thin side elements
// each (with VECTOR above 4 at least 16 bytes more than CHUNK), with STAGES steps, and of ALONG ·
// min(8, thin side) · positions of a block sums, + ALONG where the wide operand is contiguous along
// K; one chunk where SHAPE is compiled and it holds a part of K, else two. Grid: x = ceil(wide side
// / positions of a block), y = SPLIT_K, z = batch. Workspace with SPLIT_K > 1: one counter a block
// of outputs, padded to 32 of them; then the parts' sums as [block][part][thin][position].

#include "last_block.cuh"
#include "output.cuh"
#include "part_sums.cuh"

// Writes N of the block's outputs from their sums; `index` is that of the first in
// [thin][position], `first` the block's first position.
template <int N>
__device__ __forceinline__ void write_outputs(const Output& output, int first, int index,
                                              const Run<N, Sum>& sums) {
  const int thin = index / kBlockPositions;
  const int wide = first + index % kBlockPositions;
  if constexpr (SIDE == SIDE_ROWS) {
    output.write<N>(thin, wide, output.c.is_aligned<N>(), sums);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) output.write<1>(wide + i, thin, true, {{sums.value[i]}});
  }
}

// Writes the block's outputs from their sums; if blocks share them, the last of
// these does that.
__device__ __forceinline__ void write_sums(const Output& output, int first, const Sums& sums,
                                           Counter* workspace) {
  if constexpr (!IS_SPLIT) {
    add_along_k(sums, [&](int index, const Run<kShareRun, Sum>& run) {
      write_outputs(output, first, index, run);
    });
  } else {
    const int blocks = static_cast<int>(gridDim.x * gridDim.z);
    const int block = static_cast<int>(blockIdx.z * gridDim.x + blockIdx.x);
    Sum* const parts = reinterpret_cast<Sum*>(workspace + (blocks + 31) / 32 * 32) +
                       static_cast<long long>(block) * (parts_of_k() * kBlockSums);
    auto* const part =
        reinterpret_cast<Run<kShareRun, Sum>*>(parts + static_cast<int>(blockIdx.y) * kBlockSums);
    add_along_k(sums,
                [&](int index, const Run<kShareRun, Sum>& run) { part[index / kShareRun] = run; });
    if (!is_last_block(workspace + block, parts_of_k(), shared)) return;
    add_along_parts(parts, [&](int index, const Run<4, Sum>& run) {
      write_outputs(output, first, index, run);
    });
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    gemm_thin(const ElementA* __restrict__ a, const ElementB* __restrict__ b, ElementC* c,
              Real alpha, Real beta, int launch_m, int launch_n, int launch_k, int launch_lda,
              int launch_ldb, int ldc, int stride_a, int stride_b, int stride_c, int launch_along_k,
              Counter* workspace EPILOGUE_PARAMETERS) {
  constexpr bool kRows = SIDE == SIDE_ROWS;
#if SHAPE == SHAPE_COMPILED
  constexpr int M = PROBLEM_M, N = PROBLEM_N, K = PROBLEM_K;
  constexpr int lda = PROBLEM_LDA, ldb = PROBLEM_LDB;
  constexpr bool is_along_k =
      kRows ? PROBLEM_TRANSPOSE_A == TRANSPOSE_A_NO : PROBLEM_TRANSPOSE_B == TRANSPOSE_B_YES;
  constexpr int along_k = is_along_k ? THIN_VECTOR : 0;
#else
  const int M = launch_m, N = launch_n, K = launch_k, lda = launch_lda, ldb = launch_ldb;
  const int along_k = launch_along_k;
#endif
  const int matrix = static_cast<int>(blockIdx.z);
  const int first = static_cast<int>(blockIdx.x) * kBlockPositions;
  const int share = (K + parts_of_k() - 1) / parts_of_k();
  const int depth = (share + kPartUnit - 1) / kPartUnit * kPartUnit;  // of a part
  const int first_k = static_cast<int>(blockIdx.y) * depth;
  const int last_k = min(K, first_k + depth);
  Sums sums = {};
  a += matrix * stride_a;
  b += matrix * stride_b;
#if SIDE == SIDE_ROWS
  add_products(sums, {a, lda, along_k}, {b, ldb, N, first}, first_k, last_k);
#else
  add_products(sums, {b, ldb, along_k}, {a, lda, M, first}, first_k, last_k);
#endif
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  write_sums(make_output(c, M, N, ldc, stride_c, alpha, beta, epilogue), first, sums, workspace);
}
