// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Barriers of warp groups beside those of bulk copies. After: NVIDIA, PTX ISA, mbarrier.arrive,
// barrier and setmaxnreg.

#include "cluster.cuh"
#include "bulk_copy.cuh"

// A barrier whose rounds end when `arrivals` have arrived, and all bytes have come if any are
// expected. By one thread; then publish_barriers().
__device__ __forceinline__ void init_barrier(BulkBarrier* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

// Makes barriers known to bulk copies and to the cluster's blocks, which may use them after the
// next barrier of all. By the thread that made them.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
}

__device__ __forceinline__ void arrive(BulkBarrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(shared_address(barrier))
               : "memory");
}

// At the same barrier of block `rank` of the cluster.
__device__ __forceinline__ void arrive_at(BulkBarrier* barrier, int rank) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];\n" ::"r"(address_in(barrier, rank))
               : "memory");
}

// Until `threads` threads, whole warps, have come to barrier `number`, 1 to 15, or passed it.
__device__ __forceinline__ void synchronise(int number, int threads) {
  asm volatile("barrier.sync %0, %1;\n" ::"r"(number), "r"(threads) : "memory");
}
// Counts for those who wait there, without waiting.
__device__ __forceinline__ void pass(int number, int threads) {
  asm volatile("barrier.arrive %0, %1;\n" ::"r"(number), "r"(threads) : "memory");
}

// Leaves a thread that many registers, a multiple of 8; what it gives up others may take. By whole
// warp groups.
template <int REGISTERS>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(REGISTERS));
}
template <int REGISTERS>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(REGISTERS));
}
