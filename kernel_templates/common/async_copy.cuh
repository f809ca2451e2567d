// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Copies from global to shared memory that go on while the thread does something else (PTX
// cp.async, sm_80 and later). Elsewhere they are plain copies that are done at once.

#include "run.cuh"

// N neighbours that go together, 1, 2 or 4, and both addresses are multiples of what a Run of them
// needs. What is less than four bytes is copied at once.
template <int N, class T>
__device__ __forceinline__ void start_copy(T* shared, const T* global) {
  constexpr int kBytes = N * sizeof(T);
  if constexpr (TARGET_ARCHITECTURE >= 800 && kBytes >= 4) {
    const unsigned target = shared_address(shared);
    if constexpr (kBytes >= 16) {  // past the L1 cache, which only these may leave out
#pragma unroll
      for (int i = 0; i < kBytes; i += 16)
        ON_GPU(asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(target + i),
                            "l"(reinterpret_cast<const char*>(global) + i)
                            : "memory"));
    } else {
      ON_GPU(asm volatile("cp.async.ca.shared.global [%0], [%1], %2;\n" ::"r"(target), "l"(global),
                          "n"(kBytes)
                          : "memory"));
    }
  } else {
    *reinterpret_cast<Run<N, T>*>(shared) = *reinterpret_cast<const Run<N, T>*>(global);
  }
}

// The same, or zeros where `global` is not to be read; it must be aligned nevertheless.
template <int N, class T>
__device__ __forceinline__ void start_copy_or_zeros(T* shared, const T* global, bool exists) {
  constexpr int kBytes = N * sizeof(T);
  if constexpr (TARGET_ARCHITECTURE >= 800 && kBytes >= 4) {
    const unsigned target = shared_address(shared);
    if constexpr (kBytes >= 16) {
      const int bytes = exists ? 16 : 0;  // the rest is filled with zeros
#pragma unroll
      for (int i = 0; i < kBytes; i += 16)
        ON_GPU(asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(target + i),
                            "l"(reinterpret_cast<const char*>(global) + i), "r"(bytes)
                            : "memory"));
    } else {
      const int bytes = exists ? kBytes : 0;
      ON_GPU(asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;\n" ::"r"(target),
                          "l"(global), "n"(kBytes), "r"(bytes)
                          : "memory"));
    }
  } else {
    Run<N, T> run = {};
    if (exists) run = *reinterpret_cast<const Run<N, T>*>(global);
    *reinterpret_cast<Run<N, T>*>(shared) = run;
  }
}

// The same through the L1 cache, which keeps what is read again soon.
template <int N, class T>
__device__ __forceinline__ void start_kept_copy_or_zeros(T* shared, const T* global, bool exists) {
  constexpr int kBytes = N * sizeof(T);
  if constexpr (TARGET_ARCHITECTURE >= 800 && kBytes >= 16) {
    const unsigned target = shared_address(shared);
    const int bytes = exists ? 16 : 0;
#pragma unroll
    for (int i = 0; i < kBytes; i += 16)
      ON_GPU(asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;\n" ::"r"(target + i),
                          "l"(reinterpret_cast<const char*>(global) + i), "r"(bytes)
                          : "memory"));
  } else {
    start_copy_or_zeros<N>(shared, global, exists);
  }
}

// Waits for this thread's own copies; other threads see them after the next __syncthreads().
__device__ __forceinline__ void wait_for_copies() {
  if constexpr (TARGET_ARCHITECTURE >= 800)
    ON_GPU(asm volatile("cp.async.wait_all;\n" ::: "memory"));
}

// Ends a group of this thread's copies; those started since the last end belong to it.
__device__ __forceinline__ void end_copy_group() {
  if constexpr (TARGET_ARCHITECTURE >= 800)
    ON_GPU(asm volatile("cp.async.commit_group;\n" ::: "memory"));
}

// Waits for this thread's own copies but those of the GROUPS groups ended last.
template <int GROUPS>
__device__ __forceinline__ void wait_for_copies_but() {
  if constexpr (TARGET_ARCHITECTURE >= 800)
    ON_GPU(asm volatile("cp.async.wait_group %0;\n" ::"n"(GROUPS) : "memory"));
}
