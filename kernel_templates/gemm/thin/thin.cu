// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// C = epilogue(alpha · op(A) · op(B) + beta · C) in FP32 for C of at most 16 rows or columns, any
// other sizes ≥ 1, leading dimensions, transposes and batch; C is read only with
// PROBLEM_ACCUMULATE. What takes the time is reading the wide operand once, so it goes straight to
// registers, a batch ahead of its use; the thin one goes through shared memory, a chunk ahead. A
// block's threads share its part of K and add their sums through shared memory.
//
// SIDE      which side of C is thin                          rows, columns: at most 16 of them
// ACROSS    threads of a block along the wide side           1 … 256; ACROSS · ALONG from 64 to 512
// ALONG     threads of a block along K                       1 … 256
// VECTOR    floats in an access to the wide operand          1, 2, 4: its leading dimension, its
//                                                            rows' length and its stride are
//                                                            multiples of it
// RUNS      such accesses of a thread side by side along     1, 2, 4, 8; a thread has at most 128
//           the wide side                                    sums
// UNROLL    the same one after another along K               1, 2, 4, 8
// CHUNK     ks of the thin operand in shared memory          a multiple of UNROLL · ALONG · VECTOR,
//                                                            or UNROLL · ALONG
// SPLIT_K   blocks that share the outputs of one             1 …; the last to arrive adds their
//                                                            sums, in order
// PROBLEM_M or PROBLEM_N (the thin side), PROBLEM_TRANSPOSE_A, PROBLEM_TRANSPOSE_B,
// PROBLEM_ACCUMULATE
//
// Shared memory, bytes: 4 · max(2 · CHUNK · the thin side, rounded up to 4 where the wide operand
// is not contiguous along K; min(4, thin side) · ALONG · (positions of a block + 1)). Registers:
// sums
// + 2 · VECTOR · RUNS · UNROLL + about 40. Grid: x = ceil(wide side / positions of a block), y =
// SPLIT_K, z = batch. Workspace with SPLIT_K > 1: one counter a block of outputs, zero before the
// first call, padded to 64; then the parts' sums as [block][part][thin][position].

#include "last_block.cuh"
#include "output.cuh"
#include "wide_operand.cuh"

constexpr int kBlockSums = kThin * kBlockPositions;

extern __shared__ __align__(16) float shared[];

__device__ __forceinline__ void write_output(const Output& output, int thin, int wide, float sum) {
  const Run<1> run = {{sum}};
  output.write<1>(SIDE == SIDE_ROWS ? thin : wide, SIDE == SIDE_ROWS ? wide : thin, true, run);
}

// Gives `use` each of the block's sums over its threads along K, with its thin index and its
// position in the block, each to one thread.
template <class Use>
__device__ __forceinline__ void add_along_k(const Sums& sums, const Use& use) {
  constexpr int kAtOnce = kThin < 4 ? kThin : 4;  // thin indices
  constexpr int kPitch = kAtOnce * kBlockPositions + 1;
#pragma unroll
  for (int first = 0; first < kThin; first += kAtOnce) {
    __syncthreads();
#pragma unroll
    for (int t = 0; t < kAtOnce; ++t)
#pragma unroll
      for (int p = 0; p < kPositions; ++p)
        if (first + t < kThin)
          shared[thread_along() * kPitch + t * kBlockPositions +
                 position_of(p / kRunPositions, p % kRunPositions)] = sums[p][(first + t) % kThin];
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kAtOnce * kBlockPositions; i += kThreads) {
      const int thin = first + i / kBlockPositions;
      if (thin >= kThin) break;
      float sum = 0.0f;
#pragma unroll 8
      for (int along = 0; along < ALONG; ++along) sum += shared[along * kPitch + i];
      use(thin, i % kBlockPositions, sum);
    }
  }
}

// The sum of all parts of sum `index`.
__device__ __forceinline__ float add_parts(const float* parts, int index) {
  float sum = 0.0f;
#pragma unroll 16
  for (int part = 0; part < SPLIT_K; ++part) sum += __ldcg(parts + (part * kBlockSums + index));
  return sum;
}

// Writes the block's outputs from their sums; with SPLIT_K, the last of the blocks that share them
// does that.
__device__ __forceinline__ void write_sums(const Output& output, int first, const Sums& sums,
                                           unsigned* workspace) {
#if SPLIT_K == 1
  add_along_k(sums, [&](int thin, int position, float sum) {
    write_output(output, thin, first + position, sum);
  });
#else
  const unsigned blocks = gridDim.x * gridDim.z;
  const unsigned block = blockIdx.z * gridDim.x + blockIdx.x;
  float* const parts = reinterpret_cast<float*>(workspace + (blocks + 63) / 64 * 64) +
                       static_cast<long long>(block) * (SPLIT_K * kBlockSums);
  add_along_k(sums, [&](int thin, int position, float sum) {
    parts[static_cast<int>(blockIdx.y) * kBlockSums + thin * kBlockPositions + position] = sum;
  });
  if (!is_last_block(workspace + block, SPLIT_K, shared)) return;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < kBlockSums; i += kThreads)
    write_output(output, i / kBlockPositions, first + i % kBlockPositions, add_parts(parts, i));
#endif
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_thin(const float* __restrict__ a, const float* __restrict__ b, float* c, float alpha,
              float beta, int M, int N, int K, int lda, int ldb, int ldc, int stride_a,
              int stride_b, int stride_c, unsigned* workspace EPILOGUE_PARAMETERS) {
  const int matrix = static_cast<int>(blockIdx.z);
  a += matrix * stride_a;
  b += matrix * stride_b;
  constexpr bool kRows = SIDE == SIDE_ROWS;
  const float* const thin = kRows ? a : b;
  const int thin_pitch = kRows ? lda : ldb;
  const int first = static_cast<int>(blockIdx.x) * kBlockPositions;
  const WideOperand wide(kRows ? b : a, kRows ? ldb : lda, kRows ? N : M, first);

  const int depth = ((K + SPLIT_K - 1) / SPLIT_K + 3) / 4 * 4;  // of a part
  const int first_k = static_cast<int>(blockIdx.y) * depth;
  const int last_k = min(K, first_k + depth);
  Sums sums = {};
  float* chunk = shared;
  float* next_chunk = shared + kThinFloats;
  start_thin(chunk, thin, thin_pitch, first_k, last_k);
  Batch next;
  wide.read(next, first_k, last_k);
  for (int chunk_k = first_k; chunk_k < last_k; chunk_k += CHUNK) {
    start_thin(next_chunk, thin, thin_pitch, chunk_k + CHUNK, last_k);
    wait_for_copies_but<1>();
    __syncthreads();
#pragma unroll 2
    for (int k = 0; k < CHUNK; k += kBatchDepth) {
      const Batch batch = next;
      wide.read(next, chunk_k + k + kBatchDepth, last_k);
      add_products(sums, batch, chunk, k);
    }
    __syncthreads();
    float* const done = chunk;
    chunk = next_chunk;
    next_chunk = done;
  }
  wait_for_copies();
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  const Output output = make_output(c, M, N, ldc, stride_c, alpha, beta, epilogue);
  write_sums(output, first, sums, workspace);
}
