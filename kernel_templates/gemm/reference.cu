// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Right answers of gemm for problems with an epilogue, in double: one thread computes one element
// of C. Flips: 1 where the matrix is stored transposed.

#include "../common/element.cuh"
#include "../common/epilogue.cuh"

#if PROBLEM_PRECISION == PRECISION_FLOAT64
using Factor = double;
#elif PROBLEM_PRECISION == PRECISION_INT32 && PROBLEM_TYPE_C == TYPE_C_INT32
using Factor = int;
#else
using Factor = float;
#endif

extern "C" __global__ void gemm_reference(const Stored<TYPE_A>* a, const Stored<TYPE_B>* b,
                                          Stored<TYPE_C>* c, Factor alpha, Factor beta, int M,
                                          int N, int K, int lda, int ldb, int ldc, int stride_a,
                                          int stride_b, int stride_c, int flips_a, int flips_b,
                                          int accumulates EPILOGUE_PARAMETERS) {
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int batch = static_cast<int>(blockIdx.z);
  if (row >= M || column >= N) return;
  a += batch * stride_a;
  b += batch * stride_b;

  double sum = 0;
  for (int k = 0; k < K; ++k)
    sum += to<double>(a[flips_a ? k * lda + row : row * lda + k]) *
           to<double>(b[flips_b ? column * ldb + k : k * ldb + column]);
  const int index = batch * stride_c + row * ldc + column;
  double value = static_cast<double>(alpha) * sum;
  if (accumulates) value += static_cast<double>(beta) * to<double>(c[index]);
  c[index] = to<Stored<TYPE_C>>(epilogue(value, row, column, batch, index));
}
