// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Programmatic dependent launch (sm_90 and later): a launch with `dependent_launch` in its manifest
// may begin before the launch ahead of it in the stream has ended. Below sm_90, and on the host
// device, launches follow one another, and both functions do nothing.
// After: NVIDIA, PTX ISA, griddepcontrol; CUDA Programming Guide, programmatic dependent launch.

#include "target.cuh"

// Until the launch ahead has ended and what it wrote can be read. By every thread, before it first
// reads what an earlier launch or call wrote, and before it first writes to global memory, because
// the call before has the same outputs and workspace. Also in a kernel that uses nothing of the
// launch ahead: the launch behind waits for this one only.
__device__ __forceinline__ void wait_for_launch_ahead() {
  if constexpr (TARGET_ARCHITECTURE >= 900)
    ON_GPU(asm volatile("griddepcontrol.wait;\n" ::: "memory"));
}

// Lets a dependent launch behind this one begin once all blocks have called it or ended. It does
// not make writes visible: the launch behind waits for the end of this one. Blocks that begin early
// take room on the multiprocessors, so call it when this launch has no more blocks to begin.
__device__ __forceinline__ void allow_launch_behind() {
  if constexpr (TARGET_ARCHITECTURE >= 900)
    ON_GPU(asm volatile("griddepcontrol.launch_dependents;\n" ::: "memory"));
}
