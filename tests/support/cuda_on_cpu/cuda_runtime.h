#pragma once

// The part of CUDA's runtime that a reproducer uses, on the CPU: g++ -x c++ -std=c++17 compiles a
// reproducer with this folder in its include path. It runs one block after the other, and has only
// static shared memory.

#include <ucontext.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

inline uint3 threadIdx;
inline uint3 blockIdx;
inline dim3 blockDim;
inline dim3 gridDim;

constexpr int min(int a, int b) {
  return a < b ? a : b;
}
constexpr int max(int a, int b) {
  return a > b ? a : b;
}

struct float4 {
  float x, y, z, w;
};
struct int4 {
  int x, y, z, w;
};
struct double2 {
  double x, y;
};
template <class T>
T __ldcg(const T* pointer) {
  return *pointer;
}
// Named in code that is not for this compiler, and never called.
unsigned __byte_perm(unsigned x, unsigned y, unsigned selector);
size_t __cvta_generic_to_shared(const void* shared);

inline float __uint_as_float(unsigned bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline unsigned __float_as_uint(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

enum cudaError_t { cudaSuccess };
inline const char* cudaGetErrorString(cudaError_t) {
  return "";
}
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
using cudaStream_t = void*;
using cudaEvent_t = std::chrono::steady_clock::time_point;

inline cudaError_t cudaMalloc(void** memory, std::size_t size) {
  *memory = std::malloc(size);
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
  std::memcpy(to, from, size);
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

inline cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, std::size_t bytes) {
  std::memcpy(const_cast<void*>(symbol), source, bytes);
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

inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int,
                                                                 std::size_t) {
  *blocks = 2;
  return cudaSuccess;
}
inline cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void*,
                                                  const cudaLaunchConfig_t*) {
  *clusters = 3;
  return cudaSuccess;
}

// A thread of the block that runs. It runs until it ends or reaches __syncthreads().
struct Fiber {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(1 << 16);
  bool is_done = false;
};
inline std::deque<Fiber> fibers;
inline Fiber* running = nullptr;
inline ucontext_t scheduler;
inline std::function<void()> body;

inline void __syncthreads() {
  swapcontext(&running->context, &scheduler);
}

inline void run_fiber() {
  body();
  running->is_done = true;
}

inline void prepare(Fiber& fiber) {
  fiber.is_done = false;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.data();
  fiber.context.uc_stack.ss_size = fiber.stack.size();
  fiber.context.uc_link = &scheduler;
  makecontext(&fiber.context, run_fiber, 0);
}

inline void run_block() {
  const unsigned count = blockDim.x * blockDim.y * blockDim.z;
  if (fibers.size() < count) fibers.resize(count);
  for (unsigned i = 0; i < count; ++i) prepare(fibers[i]);
  for (bool is_over = false; !is_over;) {
    is_over = true;
    for (unsigned i = 0; i < count; ++i) {
      running = &fibers[i];
      if (running->is_done) continue;
      threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
      swapcontext(&scheduler, &running->context);
      is_over = is_over && running->is_done;
    }
  }
}

template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...),
                               A&&... arguments) {
  gridDim = config->gridDim;
  blockDim = config->blockDim;
  body = [&] { kernel(arguments...); };
  for (unsigned z = 0; z < gridDim.z; ++z)
    for (unsigned y = 0; y < gridDim.y; ++y)
      for (unsigned x = 0; x < gridDim.x; ++x) {
        blockIdx = {x, y, z};
        run_block();
      }
  return cudaSuccess;
}
