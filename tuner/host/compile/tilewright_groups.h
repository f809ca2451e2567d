// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What the host device gives a kernel in place of <cooperative_groups.h>: the groups of a block and
// of a grid. docs/manifest-source.md lists what is here.

#define tiled_partition tilewright_host_has_no_tiled_partition
#define coalesced_threads tilewright_host_has_no_coalesced_threads
#define this_cluster tilewright_host_has_no_this_cluster

namespace cooperative_groups {

TILEWRIGHT_FUNCTION(unsigned long long tilewright_rank(uint3 index, uint3 shape),
                    index.x +
                        static_cast<unsigned long long>(shape.x) * (index.y + shape.y * index.z))

TILEWRIGHT_FUNCTION(unsigned long long tilewright_volume(uint3 shape),
                    static_cast<unsigned long long>(shape.x) * shape.y * shape.z)

struct thread_block {
  static void sync() {
    tilewright_host_state.barrier(tilewright_host_state.fibers, "cooperative_groups.h", 0);
  }
  static unsigned thread_rank() { return tilewright_rank(threadIdx, blockDim); }
  static unsigned num_threads() { return tilewright_volume(blockDim); }
  static unsigned size() { return num_threads(); }
  static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static dim3 group_dim() { return dim_threads(); }
};

struct grid_group {
  static bool is_valid() { return tilewright_host_call(&TilewrightHostCalls::is_cooperative) != 0; }
  static void sync() { tilewright_host_call(&TilewrightHostCalls::sync_grid); }
  static unsigned long long block_rank() { return tilewright_rank(blockIdx, gridDim); }
  static unsigned long long num_blocks() { return tilewright_volume(gridDim); }
  static unsigned long long thread_rank() {
    return block_rank() * tilewright_volume(blockDim) + thread_block::thread_rank();
  }
  static unsigned long long num_threads() { return num_blocks() * tilewright_volume(blockDim); }
  static unsigned long long size() { return num_threads(); }
  static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static dim3 group_dim() { return dim_blocks(); }
};

TILEWRIGHT_FUNCTION(thread_block this_thread_block(), {})
TILEWRIGHT_FUNCTION(grid_group this_grid(), {})
template <class Group>
static inline void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
