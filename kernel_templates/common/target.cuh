// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What the code is compiled for. Neither the compiler of a GPU nor that of the host device takes
// what is meant for the other: ON_GPU(…) and ON_HOST(…) keep their statements for one of them.

#if defined(TILEWRIGHT_HOST)
#define ON_GPU(...)
#define ON_HOST(...) __VA_ARGS__
#else
#define ON_GPU(...) __VA_ARGS__
#define ON_HOST(...)
#endif

// 900 for sm_90; 0 on the host device.
#if defined(__CUDA_ARCH__)
#define TARGET_ARCHITECTURE __CUDA_ARCH__
#else
#define TARGET_ARCHITECTURE 0
#endif

// An address of shared memory as instructions of a GPU take it.
__device__ __forceinline__ unsigned shared_address(const void* shared) {
  ON_GPU(return static_cast<unsigned>(__cvta_generic_to_shared(shared)));
  ON_HOST(return shared != nullptr ? 1 : 0);
}
