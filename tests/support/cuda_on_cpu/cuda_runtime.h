#pragma once

// The part of CUDA's runtime that a reproducer uses, on the CPU: g++ -x c++ -std=c++17 compiles a
// reproducer with this folder and the sources in its include path. It runs one block after the
// other, and has only static shared memory.

#include <ucontext.h>

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

#include "tools/show/reproducer_cpu.h"

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
