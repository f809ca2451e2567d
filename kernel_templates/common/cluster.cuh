// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Blocks of a cluster (sm_90 and later, and the host device) read each other's shared memory.
// After: NVIDIA, PTX ISA, barrier.cluster, mapa and ld.shared::cluster.

#include "run.cuh"
#include "target.cuh"

// By all threads of all blocks of the cluster: what they wrote before it is there for all after it.
__device__ __forceinline__ void synchronise_cluster() {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::sync_cluster));
  ON_GPU(
      asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                   "barrier.cluster.wait.acquire.aligned;\n" ::
                       : "memory"));
}

// By all threads of all blocks of the cluster, which wait for each other. It orders no writes, so
// it does not wait until the device has done them: enough where publish_barriers() came before.
__device__ __forceinline__ void meet_cluster() {
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::sync_cluster));
  ON_GPU(
      asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\t"
                   "barrier.cluster.wait.acquire.aligned;\n" ::
                       : "memory"));
}

// Of this block in its cluster: blocks are counted along x first, from 0.
__device__ __forceinline__ int rank_in_cluster() {
  ON_HOST(return tilewright_host_call(&TilewrightHostCalls::rank_in_cluster));
  ON_GPU(int rank; asm volatile("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank)); return rank);
}

#if defined(TILEWRIGHT_HOST)
// What block `rank` of the cluster has where this block has `*own`, an address in shared memory.
template <class T>
__device__ __forceinline__ Run<4, T> read_of_block(const Run<4, T>* own, int rank) {
  return *static_cast<const Run<4, T>*>(
      tilewright_host_call(&TilewrightHostCalls::in_block, own, rank));
}
#else

// Where block `rank` of the cluster has what this block has at `own`, an address in shared memory.
__device__ __forceinline__ unsigned address_in(const void* own, int rank) {
  const unsigned address = shared_address(own);
  unsigned remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;\n" : "=r"(remote) : "r"(address), "r"(rank));
  return remote;
}

// What block `rank` of the cluster has where this block has `*own`, an address in shared memory.
__device__ __forceinline__ Run<4> read_of_block(const Run<4>* own, int rank) {
  const unsigned remote = address_in(own, rank);
  Run<4> run;
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];\n"
               : "=f"(run.value[0]), "=f"(run.value[1]), "=f"(run.value[2]), "=f"(run.value[3])
               : "r"(remote)
               : "memory");
  return run;
}
__device__ __forceinline__ Run<4, int> read_of_block(const Run<4, int>* own, int rank) {
  const Run<4> bits = read_of_block(reinterpret_cast<const Run<4>*>(own), rank);
  return *reinterpret_cast<const Run<4, int>*>(&bits);
}
__device__ __forceinline__ Run<4, double> read_of_block(const Run<4, double>* own, int rank) {
  const unsigned remote = address_in(own, rank);
  Run<4, double> run;
  asm volatile(
      "ld.shared::cluster.v2.f64 {%0, %1}, [%4];\n\t"
      "ld.shared::cluster.v2.f64 {%2, %3}, [%4 + 16];\n"
      : "=d"(run.value[0]), "=d"(run.value[1]), "=d"(run.value[2]), "=d"(run.value[3])
      : "r"(remote)
      : "memory");
  return run;
}
#endif
