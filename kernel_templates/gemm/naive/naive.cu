// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// C = epilogue(alpha · op(A) · op(B) + beta · C), row-major, any M, N, K ≥ 1, any leading
// dimensions, a batch: one thread computes one element of C and reads a row of op(A) and a column
// of op(B) from global memory. The measure for every other way.
//
// BLOCK_X   threads along N   4 … 256, BLOCK_X · BLOCK_Y from 32 to 1024
// BLOCK_Y   threads along M   1 … 32
// PROBLEM_TRANSPOSE_A, PROBLEM_TRANSPOSE_B, PROBLEM_ACCUMULATE   the problem's choices; C is read
//           only with the last
// TYPE_A, TYPE_B, TYPE_C, PROBLEM_PRECISION   types.cuh
//
// Shared memory: none. Registers: about 30, whatever the block.
// Grid: x = ceil(N / BLOCK_X), y = ceil(M / BLOCK_Y), z = batch.
// After: Kirk and Hwu, Programming Massively Parallel Processors, chapter 3 (simple matrix
// multiplication).

#include "epilogue.cuh"
#include "types.cuh"

constexpr int kThreads = BLOCK_X * BLOCK_Y;

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_naive(const ElementA* __restrict__ a, const ElementB* __restrict__ b,
               ElementC* __restrict__ c, Real alpha, Real beta, int M, int N, int K, int lda,
               int ldb, int ldc, int stride_a, int stride_b, int stride_c EPILOGUE_PARAMETERS) {
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  const int row = static_cast<int>(blockIdx.y) * BLOCK_Y + static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * BLOCK_X + static_cast<int>(threadIdx.x);
  const int batch = static_cast<int>(blockIdx.z);
  if (row >= M || column >= N) return;
  a += batch * stride_a;
  b += batch * stride_b;

  Sum sum = 0;
  for (int k = 0; k < K; ++k) {
    const Sum left = to<Sum>(a[PROBLEM_TRANSPOSE_A ? k * lda + row : row * lda + k]);
    const Sum right = to<Sum>(b[PROBLEM_TRANSPOSE_B ? column * ldb + k : k * ldb + column]);
    sum += left * right;
  }
  const int index = batch * stride_c + row * ldc + column;
  Real value = alpha * to<Real>(sum);
  if (PROBLEM_ACCUMULATE) value += beta * to<Real>(c[index]);
  c[index] = to<ElementC>(epilogue(value, row, column, batch, index));
}
