// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What the host device gives a kernel in place of <cooperative_groups.h>: the groups of a block and
// of a grid. docs/manifest-source.md lists what is here.

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

// SIZE lanes of a warp, a power of two of at most 32.
template <unsigned SIZE, class Parent = void>
struct thread_block_tile {
  static_assert(SIZE <= 32 && (SIZE & (SIZE - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
  static constexpr TilewrightWarp kWarp = {"cooperative_groups.h", 0};
  static constexpr int kSize = SIZE;

  thread_block_tile() = default;
  template <class Other>
  thread_block_tile(const thread_block_tile<SIZE, Other>&) {}

  static unsigned thread_rank() { return tilewright_lane() % SIZE; }
  static unsigned size() { return SIZE; }
  static unsigned num_threads() { return SIZE; }
  static unsigned long long meta_group_rank() { return thread_block::thread_rank() / SIZE; }
  static unsigned long long meta_group_size() { return (thread_block::size() + SIZE - 1) / SIZE; }
  static unsigned first_lane() { return tilewright_lane() - thread_rank(); }
  static unsigned mask() { return (~0U >> (32 - SIZE)) << first_lane(); }
  // A mask of the warp as one of the tile.
  static unsigned own(unsigned lanes) { return (lanes & mask()) >> first_lane(); }
  static void sync() { __syncwarp(mask()); }
  template <class T>
  T shfl(T value, int source) const {
    return kWarp.shfl(mask(), value, source, kSize);
  }
  template <class T>
  T shfl_up(T value, unsigned delta) const {
    return kWarp.shfl_up(mask(), value, delta, kSize);
  }
  template <class T>
  T shfl_down(T value, unsigned delta) const {
    return kWarp.shfl_down(mask(), value, delta, kSize);
  }
  template <class T>
  T shfl_xor(T value, int lanes) const {
    return kWarp.shfl_xor(mask(), value, lanes, kSize);
  }
  int any(int is_true) const { return kWarp.any(mask(), is_true); }
  int all(int is_true) const { return kWarp.all(mask(), is_true); }
  unsigned ballot(int is_true) const { return own(kWarp.ballot(mask(), is_true)); }
  template <class T>
  unsigned match_any(T value) const {
    return own(kWarp.match_any(mask(), value));
  }
  template <class T>
  unsigned match_all(T value, int& is_same) const {
    return own(kWarp.match_all(mask(), value, &is_same));
  }
};

// Threads run one after the other here, so each is on its own wherever it asks.
using coalesced_group = thread_block_tile<1>;
TILEWRIGHT_FUNCTION(coalesced_group coalesced_threads(), {})

template <unsigned SIZE, class Parent>
static inline thread_block_tile<SIZE, Parent> tiled_partition(const Parent&) {
  return {};
}

#define TILEWRIGHT_REDUCTION(name, joined)             \
  template <class T>                                   \
  struct name {                                        \
    T operator()(T a, T b) const { return T(joined); } \
  };
TILEWRIGHT_REDUCTION(plus, a + b)
TILEWRIGHT_REDUCTION(less, b < a ? b : a)
TILEWRIGHT_REDUCTION(greater, a < b ? b : a)
TILEWRIGHT_REDUCTION(bit_and, a& b)
TILEWRIGHT_REDUCTION(bit_or, a | b)
TILEWRIGHT_REDUCTION(bit_xor, a ^ b)
#undef TILEWRIGHT_REDUCTION
template <unsigned SIZE, class Parent, class T, class Join>
static inline T reduce(const thread_block_tile<SIZE, Parent>& tile, T value, Join join) {
  return tile.kWarp.reduce(tile.mask(), value, join);
}

TILEWRIGHT_FUNCTION(thread_block this_thread_block(), {})
TILEWRIGHT_FUNCTION(grid_group this_grid(), {})
template <class Group>
static inline void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
