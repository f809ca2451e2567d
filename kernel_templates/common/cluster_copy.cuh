// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Bulk copies to several blocks of a cluster, and arrivals at the barriers of other blocks (sm_90
// and later, and the host device). The order is that of bulk_copy.cuh in each block, with
// publish_barriers() and meet_cluster() after init_barrier. A block must not end while others copy
// to it or arrive there: it waits for the last of these, or for synchronise_cluster().
// After: NVIDIA, PTX ISA, cp.async.bulk.tensor with .multicast::cluster, mapa, mbarrier.

#include "bulk_copy.cuh"
#include "cluster.cuh"
#include "target.cuh"

// One arrival at the barrier that block `rank` of the cluster has where this block has `own`.
__device__ __forceinline__ void arrive_in_block(BulkBarrier* own, int rank) {
  ON_HOST(tilewright_host_call(
      &TilewrightHostCalls::arrive,
      static_cast<BulkBarrier*>(tilewright_host_call(&TilewrightHostCalls::in_block, own, rank)),
      0U));
  ON_GPU(asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];\n" ::"r"(address_in(own, rank))
                      : "memory"));
}

// As start_box of two dimensions, but each block whose rank's bit is in `blocks`, at least one of
// them, gets the box at its own `target` and counts the bytes at its own `barrier`.
__device__ __forceinline__ void start_box_in_blocks(void* target, const TensorMap& map, int x,
                                                    int y, BulkBarrier* barrier,
                                                    unsigned short blocks) {
  ON_HOST(const int place[] = {x, y});
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::start_box, target, &map, place, 2, barrier,
                               static_cast<unsigned>(blocks)));
  ON_GPU(asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;\n" ::"r"(shared_address(target)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier)), "h"(blocks)
      : "memory"));
}

// The same of a tensor of three dimensions.
__device__ __forceinline__ void start_box_in_blocks(void* target, const TensorMap& map, int x,
                                                    int y, int z, BulkBarrier* barrier,
                                                    unsigned short blocks) {
  ON_HOST(const int place[] = {x, y, z});
  ON_HOST(tilewright_host_call(&TilewrightHostCalls::start_box, target, &map, place, 3, barrier,
                               static_cast<unsigned>(blocks)));
  ON_GPU(asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;\n" ::"r"(shared_address(target)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier)), "h"(blocks)
      : "memory"));
}
