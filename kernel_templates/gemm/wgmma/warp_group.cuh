// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Registers move from one warp group of a block to others (sm_90a). Both are called by whole warp
// groups, and leave each thread that many, a multiple of 8 from 24 to 256. On the host device they
// do nothing. After: NVIDIA, PTX ISA, setmaxnreg.

template <int REGISTERS>
__device__ __forceinline__ void give_registers() {
#if defined(__CUDA_ARCH__)
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(REGISTERS));
#endif
}

// Waits until others have given them.
template <int REGISTERS>
__device__ __forceinline__ void take_registers() {
#if defined(__CUDA_ARCH__)
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(REGISTERS));
#endif
}
