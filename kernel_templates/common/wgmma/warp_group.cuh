// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// For warps, and for warp groups, which are four warps.

#include "target.cuh"

// Returns `value`, which is the same in all threads of the warp. All of them call this. The
// compiler then knows that it is the same, and computes what depends on it once for the warp.
template <class T>
__device__ __forceinline__ T same_in_warp(T value) {
  ON_GPU(return __shfl_sync(~0U, value, 0));
  ON_HOST(return value);
}

// Returns `value`. The compiler cannot tell before the call which lanes will be active here, so
// what is computed from the result stays behind the branch before the call. Calls with only
// barriers between them become one.
template <class T>
__device__ __forceinline__ T known_from_here(T value) {
  ON_GPU(return __activemask() != 0 ? value : T{});
  ON_HOST(return value);
}

__device__ __forceinline__ int warp_group_number() {
  return same_in_warp(static_cast<int>(threadIdx.x) / 128);
}

// Registers move from one warp group of a block to others (sm_90a). Both are called by whole warp
// groups, and leave each thread that many, a multiple of 8 from 24 to 256. On the host device they
// do nothing. After: NVIDIA, PTX ISA, setmaxnreg.

template <int REGISTERS>
__device__ __forceinline__ void give_registers() {
  ON_GPU(asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(REGISTERS)));
}

// Waits until others have given them.
template <int REGISTERS>
__device__ __forceinline__ void take_registers() {
  ON_GPU(asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(REGISTERS)));
}
