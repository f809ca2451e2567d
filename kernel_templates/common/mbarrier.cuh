// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Barriers in shared memory (PTX mbarrier; here sm_90 and later, and the host device) that count
// arrivals of threads and bytes of bulk copies. A barrier has phases, one after the other. A phase
// ends when all its arrivals and all bytes that they expect have come. Phases have parities: 0
// first, 1, 0, … So a thread that waits for every phase in turn has one bit of state. A thread that
// skips phases takes an older one for its own. The order for a ring of stages, each with a barrier
// `full` of 1 arrival, and a barrier `empty` of as many as there are consumers:
//   producer   wait_for_phase(empty), first with parity 1, which does not wait before the first
//              phase has ended; expect_bytes(full); the copies, which count at `full`
//   consumer   wait_for_phase(full), first with parity 0; reads; arrive_at_barrier(empty)
// After: NVIDIA, PTX ISA, mbarrier.

#include "target.cuh"

// 8 bytes of shared memory. Not to be read or written but by the functions below.
using BulkBarrier = unsigned long long;

// By one thread; other threads may use the barrier after the next __syncthreads(), and those of
// other blocks of a cluster after publish_barriers() (cluster_copy.cuh). Of one arrival a phase.
__device__ __forceinline__ void init_barrier(BulkBarrier* barrier) {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::init_barrier, barrier, 1U));
  ON_GPU(
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                   "fence.proxy.async.shared::cta;\n" ::"r"(shared_address(barrier))
                   : "memory"));
}

// The same of `arrivals` a phase, 1 to 2^20 − 1. For bulk copies only after publish_barriers(),
// once for all barriers.
__device__ __forceinline__ void init_barrier(BulkBarrier* barrier, unsigned arrivals) {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::init_barrier, barrier, arrivals));
  ON_GPU(asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(shared_address(barrier)),
                      "r"(arrivals)
                      : "memory"));
}

// Makes new barriers known to bulk copies, and to the blocks of a cluster after meet_cluster(). By
// the thread that initialised them, before the block's next barrier.
__device__ __forceinline__ void publish_barriers() {
  ON_GPU(asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory"));
}

// One arrival of the current phase. What this thread read and wrote before is done for those who
// wait for the phase.
__device__ __forceinline__ void arrive_at_barrier(BulkBarrier* barrier) {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::arrive, barrier, 0U));
  ON_GPU(asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(shared_address(barrier))
                      : "memory"));
}

// One arrival that lets the current phase end only when `bytes` more have come. By one thread,
// before it starts the copies. A phase counts fewer than 2^20 bytes.
__device__ __forceinline__ void expect_bytes(BulkBarrier* barrier, unsigned bytes) {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::arrive, barrier, bytes));
  ON_GPU(asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory"));
}

// Until the phase of that parity, 0 or 1, has ended: this one, or the one before.
__device__ __forceinline__ void wait_for_phase(BulkBarrier* barrier, unsigned parity) {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::wait, barrier, parity));
  ON_GPU(
      asm volatile("{\n\t"
                   ".reg .pred done;\n"
                   "again:\n\t"
                   "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                   "@!done bra again;\n"
                   "}\n" ::"r"(shared_address(barrier)),
                   "r"(parity)
                   : "memory"));
}

// The same where copies end the phase. By every thread that reads the bytes.
__device__ __forceinline__ void wait_for_bytes(BulkBarrier* barrier, unsigned parity) {
  wait_for_phase(barrier, parity);
}
