// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Bulk copies between global and shared memory (PTX cp.async.bulk, sm_90 and later): one thread
// starts them and the hardware finds the addresses. For copies to shared memory, a barrier there
// tells all threads when the bytes have come. The order for one buffer and one barrier:
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

// As a manifest's { tensor_map = … } passes it; parameters of this type are
// `const __grid_constant__`. Where a box begins outside the tensor or reaches beyond it, zeros
// come.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

// 8 bytes of shared memory. Not to be read or written but by the functions below.
using BulkBarrier = unsigned long long;

__device__ __forceinline__ unsigned shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

// By one thread; other threads may use the barrier after the next __syncthreads().
__device__ __forceinline__ void init_barrier(BulkBarrier* barrier) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
      "fence.proxy.async.shared::cta;\n" ::"r"(shared_address(barrier))
      : "memory");
}

// Opens a round that ends when `bytes` have come. By one thread, before it starts the copies.
__device__ __forceinline__ void expect_bytes(BulkBarrier* barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

// Until the round of that parity has ended. By every thread that reads the bytes.
__device__ __forceinline__ void wait_for_bytes(BulkBarrier* barrier, unsigned parity) {
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n"
      "again:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@!done bra again;\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

// Puts this thread's own accesses to shared memory before bulk copies that are started later.
__device__ __forceinline__ void proxy_fence() {
  asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
}

// Fetches the map itself, ahead of the first copy.
__device__ __forceinline__ void prefetch_map(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];\n" ::"l"(&map) : "memory");
}

// Where the hardware puts what lies `offset` bytes into a box of a map with a swizzle of SPAN_BYTES
// (0, 32, 64 or 128): units of 16 bytes change places. The box begins at a multiple of 8 ·
// SPAN_BYTES.
template <int SPAN_BYTES>
__device__ __forceinline__ constexpr unsigned swizzled(unsigned offset) {
  return SPAN_BYTES == 0 ? offset : offset ^ (offset >> 3 & (SPAN_BYTES / 16 - 1) << 4);
}

// One box of a tensor of two dimensions, its first element at (x, y), which may lie outside the
// tensor; neighbours differ in x, which must be a multiple of 16 bytes: anything else is an illegal
// instruction. `target` is a multiple of 128 bytes, of 8 · swizzle if that is more.
__device__ __forceinline__ void start_box(void* target, const TensorMap& map, int x, int y,
                                          BulkBarrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];\n" ::"r"(shared_address(target)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier))
      : "memory");
}

// The same of a tensor of three dimensions.
__device__ __forceinline__ void start_box(void* target, const TensorMap& map, int x, int y, int z,
                                          BulkBarrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];\n" ::"r"(shared_address(target)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
      : "memory");
}

// The same to several blocks of the cluster, a bit of `blocks` for each rank: to the same place in
// the shared memory of each, and counted by the same barrier of each.
__device__ __forceinline__ void start_box(void* target, const TensorMap& map, int x, int y, int z,
                                          BulkBarrier* barrier, unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;\n" ::"r"(shared_address(target)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier)), "h"(blocks)
      : "memory");
}

// `bytes` neighbours without a map; the number and both addresses are multiples of 16.
__device__ __forceinline__ void start_bytes(void* target, const void* source, unsigned bytes,
                                            BulkBarrier* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::
          "r"(shared_address(target)),
      "l"(source), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

// The box in shared memory to where `start_box` would take it from. What lies outside the tensor is
// not stored, but in units of 16 bytes: rows of the tensor end at a multiple of them (an H200 wrote
// up to 16 bytes beyond others). `source` is aligned as the target of start_box, and x is a multiple of 16 bytes. By
// the thread that ends the group.
__device__ __forceinline__ void store_box(const TensorMap& map, const void* source, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n" ::"l"(&map),
      "r"(x), "r"(y), "r"(shared_address(source))
      : "memory");
}

// The same of a tensor of three dimensions.
__device__ __forceinline__ void store_box(const TensorMap& map, const void* source, int x, int y,
                                          int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];\n" ::"l"(
          &map),
      "r"(x), "r"(y), "r"(z), "r"(shared_address(source))
      : "memory");
}

// `bytes` neighbours without a map; the number and both addresses are multiples of 16.
__device__ __forceinline__ void store_bytes(void* target, const void* source, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n" ::"l"(target),
               "r"(shared_address(source)), "r"(bytes)
               : "memory");
}

// Ends a group of this thread's stores; those started since the last end belong to it.
__device__ __forceinline__ void end_store_group() {
  asm volatile("cp.async.bulk.commit_group;\n" ::: "memory");
}

// Until all but the GROUPS groups ended last have read their shared memory, which may then be
// written again. By the thread that ended them.
template <int GROUPS>
__device__ __forceinline__ void wait_for_store_reads() {
  asm volatile("cp.async.bulk.wait_group.read %0;\n" ::"n"(GROUPS) : "memory");
}

// Until all groups of this thread have written to global memory. By the thread that ended them.
__device__ __forceinline__ void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group 0;\n" ::: "memory");
}
