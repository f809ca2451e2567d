// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Blocks that add to one result leave their parts in global memory; the last to arrive sums them.

// Counts arrivals in its low 16 bits if the others are kMark. Memory that holds anything else has
// not counted yet, so nobody needs to clear it; that it holds the mark by chance, a NaN as a double
// and in its upper half as a float, is taken to be impossible.
using Counter = unsigned long long;
constexpr Counter kMark = 0xfff7a5c391d20000;

__device__ __forceinline__ bool is_marked(Counter value) {
  return value >> 16 == kMark >> 16;
}

// Both return what was there before. What this thread's block wrote before a barrier is there for
// the block that counts next, and the other way round.
__device__ __forceinline__ Counter add_one(Counter* counter) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  Counter before;
  asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], 1;\n"
               : "=l"(before)
               : "l"(counter)
               : "memory");
  return before;
#else
  __threadfence();
  const Counter before = atomicAdd(counter, Counter{1});
  __threadfence();
  return before;
#endif
}
__device__ __forceinline__ Counter replace(Counter* counter, Counter expected, Counter next) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  Counter before;
  asm volatile("atom.acq_rel.gpu.global.cas.b64 %0, [%1], %2, %3;\n"
               : "=l"(before)
               : "l"(counter), "l"(expected), "l"(next)
               : "memory");
  return before;
#else
  __threadfence();
  const Counter before = atomicCAS(counter, expected, next);
  __threadfence();
  return before;
#endif
}

// Returns how many arrived before. The first one that finds no mark sets it; those that have added
// to what was there before count again.
__device__ __forceinline__ unsigned arrive(Counter* counter) {
  Counter before = add_one(counter);
  Counter unmarked = before + 1;
  while (!is_marked(before)) {
    const Counter found = replace(counter, unmarked, kMark + 1);
    if (found == unmarked) return 0;
    if (is_marked(found)) before = add_one(counter);
    unmarked = found;
  }
  return static_cast<unsigned>(before - kMark);
}

// Called by a group of threads of each of `blocks` blocks, at most 65535, after they wrote their
// parts: true for all of the group in the block that came last, which sees all parts. `counter`
// then counts from zero again. One thread of the group is `first`; `synchronise` is a barrier for
// all of them; `flag` is shared memory that no thread reads or writes meanwhile.
template <class SYNCHRONISE>
__device__ __forceinline__ bool is_last_group(Counter* counter, int blocks, float* flag, bool first,
                                              SYNCHRONISE&& synchronise) {
  synchronise();
  if (first) {
    const bool is_last = arrive(counter) + 1 == static_cast<unsigned>(blocks);
    if (is_last) *counter = kMark;
    *flag = is_last ? 1.0f : 0.0f;
  }
  synchronise();
  return *flag != 0.0f;
}

// The same by all threads of each block.
__device__ __forceinline__ bool is_last_block(Counter* counter, int blocks, float* flag) {
  return is_last_group(counter, blocks, flag, threadIdx.x == 0, [] { __syncthreads(); });
}
