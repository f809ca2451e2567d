// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>

// The part of CUDA's runtime that a reproducer uses, on the CPU, but for launches. uint3 and dim3
// stand in front of it.

enum cudaError_t { cudaSuccess };
inline const char* cudaGetErrorString(cudaError_t) {
  return "";
}
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
using cudaStream_t = void*;
using cudaEvent_t = std::chrono::steady_clock::time_point;

inline cudaError_t cudaMalloc(void** memory, std::size_t size) {
  if (posix_memalign(memory, 256, size) != 0) std::abort();
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* memory, int byte, std::size_t size) {
  std::memset(memory, byte, size);
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t size, cudaStream_t) {
  return cudaMemset(memory, byte, size);
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind) {
  if (size > 0) std::memcpy(to, from, size);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, std::size_t size) {
  std::memcpy(const_cast<void*>(symbol), source, size);
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t*) {
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t& event) {
  event = std::chrono::steady_clock::now();
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(const cudaEvent_t&) {
  return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, const cudaEvent_t& begin,
                                        const cudaEvent_t& end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end - begin).count();
  return cudaSuccess;
}

struct cudaFuncAttributes {
  std::size_t sharedSizeBytes;
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize,
  cudaFuncAttributeNonPortableClusterSizeAllowed
};
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) {
  return cudaSuccess;
}
inline cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
  return cudaSuccess;
}

enum cudaDeviceAttr { cudaDevAttrComputeCapabilityMajor, cudaDevAttrMultiProcessorCount };
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 9;
  return cudaSuccess;
}

enum cudaLaunchAttributeID {
  cudaLaunchAttributeClusterDimension,
  cudaLaunchAttributeCooperative,
  cudaLaunchAttributeProgrammaticStreamSerialization
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    uint3 clusterDim;
    int cooperative;
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};
