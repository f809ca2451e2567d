// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Barriers among some warps of a block (PTX barrier; the host device has them too). They are named
// by their numbers, 1 to 15, because 0 is that of __syncthreads(). `threads` counts all threads
// that arrive or wait there until those that wait go on: a multiple of 32, the same in each call.
// Warps call both functions as a whole. After: NVIDIA, PTX ISA, barrier.

#include "target.cuh"

// Until `threads` have arrived. What they read and wrote before is done.
__device__ __forceinline__ void wait_at_named_barrier(int barrier, int threads) {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::wait_at_named_barrier, barrier, threads));
  ON_GPU(asm volatile("bar.sync %0, %1;\n" ::"r"(barrier), "r"(threads) : "memory"));
}

// Arrives without waiting.
__device__ __forceinline__ void arrive_at_named_barrier(int barrier, int threads) {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::arrive_at_named_barrier, barrier, threads));
  ON_GPU(asm volatile("bar.arrive %0, %1;\n" ::"r"(barrier), "r"(threads) : "memory"));
}
