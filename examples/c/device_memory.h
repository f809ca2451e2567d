/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */

/* Memory of the device that the examples launch on: the host, or a GPU with -DWITH_CUDA. */
#include <stdlib.h>
#include <string.h>

#ifdef WITH_CUDA
#include <cuda_runtime_api.h>
static const char* const device = "cuda";
static void* allocate(size_t bytes) {
  void* memory = NULL;
  return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : NULL;
}
static void copy(void* to, const void* from, size_t bytes) {
  cudaMemcpy(to, from, bytes, cudaMemcpyDefault); /* waits for the launches before it */
}
static void release(void* memory) {
  cudaFree(memory);
}
#else
static const char* const device = "host";
static void* allocate(size_t bytes) {
  return aligned_alloc(256, (bytes / 256 + 1) * 256);
}
static void copy(void* to, const void* from, size_t bytes) {
  memcpy(to, from, bytes);
}
static void release(void* memory) {
  free(memory);
}
#endif
