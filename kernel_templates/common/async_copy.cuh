// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Copies from global to shared memory that go on while the thread does something else (PTX
// cp.async, sm_80 and later). Elsewhere they are plain copies that are done at once.

// BYTES is 4, 8 or 16, and both addresses are multiples of it.
template <int BYTES>
__device__ __forceinline__ void start_copy(float* shared, const float* global) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if (BYTES == 16)  // past the L1 cache, which only these may leave out
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(target), "l"(global)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;\n" ::"r"(target), "l"(global),
                 "n"(BYTES)
                 : "memory");
#else
  for (int i = 0; i < BYTES / 4; ++i) shared[i] = global[i];
#endif
}

// The same, or zeros where `global` is not to be read; it must be aligned nevertheless.
template <int BYTES>
__device__ __forceinline__ void start_copy_or_zeros(float* shared, const float* global,
                                                    bool exists) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const int bytes = exists ? BYTES : 0;  // the rest is filled with zeros
  if (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(target), "l"(global),
                 "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;\n" ::"r"(target), "l"(global),
                 "n"(BYTES), "r"(bytes)
                 : "memory");
#else
  for (int i = 0; i < BYTES / 4; ++i) shared[i] = exists ? global[i] : 0.0f;
#endif
}

// Waits for this thread's own copies; other threads see them after the next __syncthreads().
__device__ __forceinline__ void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;\n" ::: "memory");
#endif
}

// Ends a group of this thread's copies; those started since the last end belong to it.
__device__ __forceinline__ void end_copy_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;\n" ::: "memory");
#endif
}

// Waits for this thread's own copies but those of the GROUPS groups ended last.
template <int GROUPS>
__device__ __forceinline__ void wait_for_copies_but() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;\n" ::"n"(GROUPS) : "memory");
#endif
}
