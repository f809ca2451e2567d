// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Bulk copies between global and shared memory (PTX cp.async.bulk, sm_90 and later, and the host
// device): one thread starts them and the hardware finds the addresses. For copies to shared
// memory, a barrier there tells all threads when the bytes have come. The order for one buffer and
// one barrier:
//   one thread     init_barrier, then all threads __syncthreads()
//   each round     one thread: expect_bytes, then one or several copies of that many bytes in all;
//                  all threads: wait_for_bytes with the round's parity, 0 first, 1, 0, …
//   between uses   __syncthreads(), so that no thread still reads what the next copy overwrites;
//                  before it proxy_fence() by threads that wrote to the buffer themselves
// Copies to global memory come in groups of the thread that starts them. The order for one box:
//   all threads    write to the box, proxy_fence(), __syncthreads()
//   one thread     store_box or store_bytes, end_store_group()
//   next use       the same thread: wait_for_store_reads<0>(), then all threads __syncthreads()
//   in the end     the same thread: wait_for_store_reads<0>(), because the box must outlive the
//                  reads; wait_for_stores() if this kernel reads what it stored
// After: NVIDIA, PTX ISA, asynchronous copies and mbarrier; CUDA Programming Guide, tensor maps.

#include "mbarrier.cuh"
#include "target.cuh"
#include "tensor_map.cuh"

// Puts this thread's own accesses to shared memory before bulk copies that are started later.
__device__ __forceinline__ void proxy_fence() {
  ON_GPU(asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory"));
}

// One box of a tensor of two dimensions, its first element at (x, y), which may lie outside the
// tensor; neighbours differ in x, which must be a multiple of 16 bytes: anything else is an illegal
// instruction. `target` is a multiple of 128 bytes, of 8 · swizzle if that is more.
__device__ __forceinline__ void start_box(void* target, const TensorMap& map, int x, int y,
                                          BulkBarrier* barrier) {
  ON_HOST(const int place[] = {x, y});
  ON_HOST(
      tilewright_host_call(&TilewrightHostCalls::start_box, target, &map, place, 2, barrier, 0U));
  ON_GPU(
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                   "[%0], [%1, {%2, %3}], [%4];\n" ::"r"(shared_address(target)),
                   "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier))
                   : "memory"));
}

// The same of a tensor of three dimensions.
__device__ __forceinline__ void start_box(void* target, const TensorMap& map, int x, int y, int z,
                                          BulkBarrier* barrier) {
  ON_HOST(const int place[] = {x, y, z});
  ON_HOST(
      tilewright_host_call(&TilewrightHostCalls::start_box, target, &map, place, 3, barrier, 0U));
  ON_GPU(
      asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                   "[%0], [%1, {%2, %3, %4}], [%5];\n" ::"r"(shared_address(target)),
                   "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
                   : "memory"));
}

// `bytes` neighbours without a map; the number and both addresses are multiples of 16.
__device__ __forceinline__ void start_bytes(void* target, const void* source, unsigned bytes,
                                            BulkBarrier* barrier) {
  ON_HOST(
      tilewright_host_call(&TilewrightHostCalls::start_bytes, target, source, bytes, barrier, 0U));
  ON_GPU(asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::
          "r"(shared_address(target)),
      "l"(source), "r"(bytes), "r"(shared_address(barrier))
      : "memory"));
}

// The box in shared memory to where `start_box` would take it from. What lies outside the tensor is
// not stored, but whole units of 16 bytes are: a row of the tensor must end with one (on an H200,
// what followed a shorter row was overwritten). `source` is aligned as the target of start_box, and
// x is a multiple of 16 bytes. By the thread that ends the group.
__device__ __forceinline__ void store_box(const TensorMap& map, const void* source, int x, int y) {
  ON_HOST(const int place[] = {x, y});
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::store_box, &map, source, place, 2));
  ON_GPU(asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n" ::"l"(&map),
      "r"(x), "r"(y), "r"(shared_address(source))
      : "memory"));
}

// The same of a tensor of three dimensions.
__device__ __forceinline__ void store_box(const TensorMap& map, const void* source, int x, int y,
                                          int z) {
  ON_HOST(const int place[] = {x, y, z});
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::store_box, &map, source, place, 3));
  ON_GPU(asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];\n" ::"l"(
          &map),
      "r"(x), "r"(y), "r"(z), "r"(shared_address(source))
      : "memory"));
}

// `bytes` neighbours without a map; the number and both addresses are multiples of 16.
__device__ __forceinline__ void store_bytes(void* target, const void* source, unsigned bytes) {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::store_bytes, target, source, bytes));
  ON_GPU(asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n" ::"l"(target),
                      "r"(shared_address(source)), "r"(bytes)
                      : "memory"));
}

// Ends a group of this thread's stores; those started since the last end belong to it.
__device__ __forceinline__ void end_store_group() {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::end_store_group));
  ON_GPU(asm volatile("cp.async.bulk.commit_group;\n" ::: "memory"));
}

// Until all but the GROUPS groups ended last have read their shared memory, which may then be
// written again. By the thread that ended them.
template <int GROUPS>
__device__ __forceinline__ void wait_for_store_reads() {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::wait_for_stores, GROUPS));
  ON_GPU(asm volatile("cp.async.bulk.wait_group.read %0;\n" ::"n"(GROUPS) : "memory"));
}

// Until all groups of this thread have written to global memory. By the thread that ended them.
__device__ __forceinline__ void wait_for_stores() {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::wait_for_stores, 0));
  ON_GPU(asm volatile("cp.async.bulk.wait_group 0;\n" ::: "memory"));
}
