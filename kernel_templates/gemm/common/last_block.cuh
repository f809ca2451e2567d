// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Blocks that add to one result leave their parts in global memory; the last to arrive sums them.

// Called by all threads of each of `blocks` blocks after they wrote their parts: true for all
// threads of the block that came last, which sees all parts. `arrived` is 0 before the first of
// them and again after the last; `flag` is shared memory that no thread reads or writes meanwhile.
__device__ __forceinline__ bool is_last_block(unsigned* arrived, unsigned blocks, float* flag) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *flag = atomicInc(arrived, blocks - 1) == blocks - 1 ? 1.0f : 0.0f;
  __syncthreads();
  const bool last = *flag != 0.0f;
  if (last) __threadfence();
  return last;
}
