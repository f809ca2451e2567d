// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What the host device gives a kernel in place of CUDA's built-ins. It is compiled in front of
// every kernel. It includes no standard header, because that would take longer to compile than the
// kernel. docs/manifest-source.md lists what is here. A name that only a GPU has ends the compile
// with an error that contains the name.

#define TILEWRIGHT_HOST 1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
// CUDA code writes alignas after `__shared__`, which is `static` here. There only an attribute may
// stand.
#define alignas(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__

typedef __SIZE_TYPE__ size_t;

// A function that gives the value of an expression.
#define TILEWRIGHT_FUNCTION(head, ...) \
  static inline head {                 \
    return __VA_ARGS__;                \
  }

#define TILEWRIGHT_VECTORS(scalar, name, pair_alignment, quad_alignment)               \
  struct name##1 {                                                                     \
    scalar x;                                                                          \
  };                                                                                   \
  struct alignas(pair_alignment) name##2 {                                             \
    scalar x, y;                                                                       \
  };                                                                                   \
  struct name##3 {                                                                     \
    scalar x, y, z;                                                                    \
  };                                                                                   \
  struct alignas(quad_alignment) name##4 {                                             \
    scalar x, y, z, w;                                                                 \
  };                                                                                   \
  TILEWRIGHT_FUNCTION(name##1 make_##name##1(scalar x), {x})                           \
  TILEWRIGHT_FUNCTION(name##2 make_##name##2(scalar x, scalar y), {x, y})              \
  TILEWRIGHT_FUNCTION(name##3 make_##name##3(scalar x, scalar y, scalar z), {x, y, z}) \
  TILEWRIGHT_FUNCTION(name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w), {x, y, z, w})
TILEWRIGHT_VECTORS(signed char, char, 2, 4)
TILEWRIGHT_VECTORS(unsigned char, uchar, 2, 4)
TILEWRIGHT_VECTORS(short, short, 4, 8)
TILEWRIGHT_VECTORS(unsigned short, ushort, 4, 8)
TILEWRIGHT_VECTORS(int, int, 8, 16)
TILEWRIGHT_VECTORS(unsigned, uint, 8, 16)
TILEWRIGHT_VECTORS(long long, longlong, 16, 16)
TILEWRIGHT_VECTORS(unsigned long long, ulonglong, 16, 16)
TILEWRIGHT_VECTORS(float, float, 8, 16)
TILEWRIGHT_VECTORS(double, double, 16, 16)
#undef TILEWRIGHT_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// The same layout as host::KernelState.
struct TilewrightHostState {
  uint3 thread, block, block_dim, grid_dim;
  char* dynamic_shared;
  void (*barrier)(void* fibers, const char* file, int line);
  void* fibers;
};
static TilewrightHostState tilewright_host_state;

// What kernel_templates/common asks of the host device. The same layout as host::DeviceCalls, which
// says more; `fibers` of the state begins with a pointer to it.
struct TilewrightHostCalls {
  void (*sync_warp)(void* fibers, unsigned lanes, const char* file, int line);
  void (*init_barrier)(void* fibers, unsigned long long* barrier, unsigned arrivals);
  void (*arrive)(void* fibers, unsigned long long* barrier, unsigned expected_bytes);
  void (*wait)(void* fibers, const unsigned long long* barrier, unsigned parity);
  void (*start_box)(void* fibers, void* target, const void* map, const int* place, int rank,
                    unsigned long long* barrier, unsigned blocks);
  void (*start_bytes)(void* fibers, void* target, const void* source, unsigned bytes,
                      unsigned long long* barrier, unsigned blocks);
  void (*store_box)(void* fibers, const void* map, const void* source, const int* place, int rank);
  void (*store_bytes)(void* fibers, void* target, const void* source, unsigned bytes);
  void (*end_store_group)(void* fibers);
  void (*wait_for_stores)(void* fibers, int groups);
  void (*arrive_at_named_barrier)(void* fibers, int barrier, int threads);
  void (*wait_at_named_barrier)(void* fibers, int barrier, int threads);
  void (*sync_cluster)(void* fibers);
  int (*rank_in_cluster)(void* fibers);
  void* (*in_block)(void* fibers, const void* own, int rank);
  void (*sync_grid)(void* fibers);
  int (*is_cooperative)(void* fibers);
  void (*read_texture)(void* fibers, unsigned long long texture, const float* at, int dimensions,
                       void* element, unsigned format);
  void (*fetch_texture)(void* fibers, unsigned long long texture, int x, void* element,
                        unsigned format);
  void (*exchange)(void* fibers, unsigned lanes, const void* value, void* all, unsigned bytes,
                   const char* file, int line);
  void (*start_pixels)(void* fibers, void* target, const void* map, const int* place,
                       const int* offsets, int rank, unsigned long long* barrier);
};
template <class Result, class... Parameters, class... Arguments>
static inline Result tilewright_host_call(Result (*TilewrightHostCalls::*call)(void* fibers,
                                                                               Parameters...),
                                          Arguments... arguments) {
  void* const fibers = tilewright_host_state.fibers;
  return ((*static_cast<const TilewrightHostCalls* const*>(fibers))->*call)(fibers, arguments...);
}

#define threadIdx (tilewright_host_state.thread)
#define blockIdx (tilewright_host_state.block)
#define blockDim (tilewright_host_state.block_dim)
#define gridDim (tilewright_host_state.grid_dim)
#define warpSize 32

#define __syncthreads() \
  (tilewright_host_state.barrier(tilewright_host_state.fibers, __FILE__, __LINE__))
static inline void __threadfence_block() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
// Of all 32 lanes, or those of a mask.
struct TilewrightWarpBarrier {
  const char* file;
  int line;
  void operator()(unsigned lanes = ~0U) const {
    tilewright_host_call(&TilewrightHostCalls::sync_warp, lanes, file, line);
  }
};
#define __syncwarp(...) (TilewrightWarpBarrier{__FILE__, __LINE__}(__VA_ARGS__))
[[noreturn]] static inline void __trap() {
  __builtin_trap();
}

// Each thread adds its number to a sum of the block.
static inline int tilewright_block_sum(int number, const char* file, int line) {
  static int sum;
  const auto wait = [=] {
    tilewright_host_state.barrier(tilewright_host_state.fibers, file, line);
  };
  wait();
  sum = 0;
  wait();
  sum += number;
  wait();
  return sum;
}
#define __syncthreads_count(condition) \
  (tilewright_block_sum((condition) ? 1 : 0, __FILE__, __LINE__))
#define __syncthreads_or(condition) (__syncthreads_count(condition) != 0)
#define __syncthreads_and(condition) (__syncthreads_count(!(condition)) == 0)

// What cannot run here. The compiler names it, and the trial is `unsupported`.
#define __cvta_generic_to_shared(...) tilewright_host_has_no___cvta_generic_to_shared
#define __cluster_dims__(...) tilewright_host_has_no___cluster_dims__

#include "tilewright_host_math.h"
#include "tilewright_textures.h"
#include "tilewright_warp.h"

template <class T>
TILEWRIGHT_FUNCTION(T __ldg(const T* pointer), *pointer)
template <class T>
TILEWRIGHT_FUNCTION(T __ldcg(const T* pointer), *pointer)
template <class T>
TILEWRIGHT_FUNCTION(T __ldcs(const T* pointer), *pointer)

template <class T>
struct TilewrightSame {
  using Type = T;
};
template <class T, class Change>
static inline T tilewright_atomic(T* address, Change change) {
  T old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  T next = change(old);
  while (
      !__atomic_compare_exchange(address, &old, &next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
    next = change(old);
  return old;
}
#define TILEWRIGHT_ATOMIC(name, changed)                                          \
  template <class T>                                                              \
  TILEWRIGHT_FUNCTION(T name(T* address, typename TilewrightSame<T>::Type value), \
                      tilewright_atomic(address, [value](T old) -> T { return changed; }))
TILEWRIGHT_ATOMIC(atomicAdd, old + value)
TILEWRIGHT_ATOMIC(atomicSub, old - value)
TILEWRIGHT_ATOMIC(atomicExch, (static_cast<void>(old), value))
TILEWRIGHT_ATOMIC(atomicMin, value < old ? value : old)
TILEWRIGHT_ATOMIC(atomicMax, old < value ? value : old)
TILEWRIGHT_ATOMIC(atomicAnd, old& value)
TILEWRIGHT_ATOMIC(atomicOr, old | value)
TILEWRIGHT_ATOMIC(atomicXor, old ^ value)
TILEWRIGHT_ATOMIC(atomicInc, old >= value ? T(0) : old + T(1))
TILEWRIGHT_ATOMIC(atomicDec, old == T(0) || old > value ? value : old - T(1))
#undef TILEWRIGHT_ATOMIC
template <class T>
static inline T atomicCAS(T* address, typename TilewrightSame<T>::Type compare,
                          typename TilewrightSame<T>::Type value) {
  T old = compare;
  __atomic_compare_exchange(address, &old, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return old;
}

// How a kernel is called: with pointers to its arguments.
template <int... NUMBERS>
struct TilewrightNumbers {};
template <int COUNT, int... NUMBERS>
struct TilewrightCount : TilewrightCount<COUNT - 1, COUNT - 1, NUMBERS...> {};
template <int... NUMBERS>
struct TilewrightCount<0, NUMBERS...> {
  using Type = TilewrightNumbers<NUMBERS...>;
};
template <class... Arguments, int... NUMBERS>
static inline void tilewright_call(void (*kernel)(Arguments...), void** arguments,
                                   TilewrightNumbers<NUMBERS...>) {
  kernel(*static_cast<Arguments*>(arguments[NUMBERS])...);
}
template <class... Arguments>
static inline void tilewright_call(void (*kernel)(Arguments...), void** arguments) {
  tilewright_call(kernel, arguments, typename TilewrightCount<sizeof...(Arguments)>::Type{});
}
// Returns the number of parameters, and writes the sizes of the first `most`.
template <class... Arguments>
static inline int tilewright_sizes(void (*)(Arguments...), unsigned long* sizes, int most) {
  const unsigned long all[] = {sizeof(Arguments)..., 0};
  const int count = sizeof...(Arguments);
  for (int i = 0; i < count && i < most; ++i) sizes[i] = all[i];
  return count;
}

#define TILEWRIGHT_EXPORT extern "C" __attribute__((visibility("default")))
#define TILEWRIGHT_ENTRY(number, ...)                                                       \
  TILEWRIGHT_EXPORT void tilewright_entry_##number(void** arguments) {                      \
    tilewright_call(__VA_ARGS__, arguments);                                                \
  }                                                                                         \
  TILEWRIGHT_EXPORT int tilewright_entry_##number##_sizes(unsigned long* sizes, int most) { \
    return tilewright_sizes(__VA_ARGS__, sizes, most);                                      \
  }
// Gives the variable's address, and its size.
#define TILEWRIGHT_CONSTANT(number, ...)                                              \
  TILEWRIGHT_EXPORT void* tilewright_constant_##number(unsigned long* size) {         \
    *size = sizeof(__VA_ARGS__);                                                      \
    return const_cast<void*>(reinterpret_cast<const volatile void*>(&(__VA_ARGS__))); \
  }
TILEWRIGHT_EXPORT void* tilewright_state() {
  return &tilewright_host_state;
}
