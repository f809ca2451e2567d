// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Blocks that add to one result leave their parts in global memory; the last to arrive sums them.

// Adds one to `counter`, or sets it from `last` to 0, and returns what it was. What this thread's
// block wrote before a barrier is there for the block that counts next, and the other way round.
__device__ __forceinline__ unsigned arrive(unsigned* counter, unsigned last) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;\n"
               : "=r"(before)
               : "l"(counter), "r"(last)
               : "memory");
  return before;
#else
  __threadfence();
  const unsigned before = atomicInc(counter, last);
  __threadfence();
  return before;
#endif
}

// Called by all threads of each of `blocks` blocks after they wrote their parts: true for all
// threads of the block that came last, which sees all parts. `arrived` is 0 before the first of
// them and again after the last; `flag` is shared memory that no thread reads or writes meanwhile.
__device__ __forceinline__ bool is_last_block(unsigned* arrived, unsigned blocks, float* flag) {
  __syncthreads();
  if (threadIdx.x == 0) *flag = arrive(arrived, blocks - 1) == blocks - 1 ? 1.0f : 0.0f;
  __syncthreads();
  return *flag != 0.0f;
}
