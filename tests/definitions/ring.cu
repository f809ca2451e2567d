// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// y[r] = the sum of row r of x. A cluster of CLUSTER blocks, or one block, has 16 rows. Boxes of
// them go through a ring of STAGES stages in the shared memory of each block: warp 0 fetches, two
// groups of two warps use the boxes in turn. Each block fetches 16 / CLUSTER rows of every box for
// all blocks, and sums as many.
//
// BOX_X    columns of a box                                a multiple of 32, at most 256
// STAGES   boxes in shared memory                          even, so that a group sees all phases of
//                                                          its stages
// CLUSTER  blocks of a cluster                             1, 2, 4
// SWIZZLE  permutation of a box's rows, in bytes           0; 128 if BOX_X is 32, CLUSTER at most 2
//
// Shared memory: STAGES · (64 · BOX_X + 16) bytes and 512. Registers: about 32.
// Grid: x = blocks of a cluster, y = clusters, of 16 rows each. Blocks have 160 threads.
// After: NVIDIA, CUTLASS documentation, warp-specialised kernels with multicast copies.

#include "cluster_copy.cuh"
#include "named_barrier.cuh"

constexpr int kFetching = 32;  // threads
constexpr int kGroup = 64;     // threads that use a box
constexpr int kRows = 16;
constexpr int kOwnRows = kRows / CLUSTER;
constexpr int kLanes = kGroup / kOwnRows;  // threads that share a row
constexpr int kBoxBytes = 4 * kRows * BOX_X;
constexpr int kPartBytes = kBoxBytes / CLUSTER;
constexpr unsigned kArrivals = 2 * CLUSTER;  // a warp's first lane, of each block

// The stages, then barriers: full ones, and empty ones.
extern __shared__ __align__(1024) unsigned char stages[];

__device__ __forceinline__ BulkBarrier* full(int stage) {
  return reinterpret_cast<BulkBarrier*>(stages + STAGES * kBoxBytes) + stage;
}
__device__ __forceinline__ BulkBarrier* empty(int stage) {
  return full(STAGES + stage);
}

__device__ __forceinline__ void fetch(const TensorMap& map, int boxes, int row) {
  for (int box = 0; box < boxes; ++box) {
    const int stage = box % STAGES;
    unsigned char* const target = stages + stage * kBoxBytes + rank_in_cluster() * kPartBytes;
    const int own_row = row + rank_in_cluster() * kOwnRows;
    wait_for_phase(empty(stage), (box / STAGES & 1) ^ 1);
    expect_bytes(full(stage), kBoxBytes);
    if (CLUSTER == 1)
      start_box(target, map, box * BOX_X, own_row, full(stage));
    else
      start_box_in_blocks(target, map, box * BOX_X, own_row, full(stage), (1 << CLUSTER) - 1);
  }
}

// What `lane` of a group's lanes has of row `row` of the boxes of group `group`.
__device__ __forceinline__ float sum(int boxes, int group, int row, int lane) {
  float sum = 0;
  for (int box = group; box < boxes; box += 2) {
    const int stage = box % STAGES;
    wait_for_phase(full(stage), box / STAGES & 1);
    for (int column = lane; column < BOX_X; column += kLanes) {
      const unsigned offset = static_cast<unsigned>(4 * (row * BOX_X + column));
      sum +=
          *reinterpret_cast<const float*>(stages + stage * kBoxBytes + swizzled<SWIZZLE>(offset));
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0)
      for (int rank = 0; rank < CLUSTER; ++rank)
        if (CLUSTER == 1)
          arrive_at_barrier(empty(stage));
        else
          arrive_in_block(empty(stage), rank);
  }
  return sum;
}

extern "C" __global__ void row_sums(const __grid_constant__ TensorMap map, float* y, int width,
                                    int height) {
  __shared__ float sums[2 * kGroup];
  const int boxes = (width + BOX_X - 1) / BOX_X;
  const int row = static_cast<int>(blockIdx.y) * kRows;
  const int own_row = rank_in_cluster() * kOwnRows;
  const int thread = static_cast<int>(threadIdx.x) - kFetching;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; ++stage) {
      init_barrier(full(stage));
      init_barrier(empty(stage), kArrivals);
    }
    publish_barriers();
  }
  if (CLUSTER == 1)
    __syncthreads();
  else
    synchronise_cluster();

  if (threadIdx.x == 0) fetch(map, boxes, row);
  if (thread >= 0) {
    const int group = thread / kGroup;
    const int in_group = thread % kGroup;
    sums[thread] = sum(boxes, group, own_row + in_group / kLanes, in_group % kLanes);
    if (group == 1) {
      arrive_at_named_barrier(1, 2 * kGroup);
    } else {
      wait_at_named_barrier(1, 2 * kGroup);
      if (in_group < kOwnRows && row + own_row + in_group < height) {
        float total = 0;
        for (int i = 0; i < kLanes; ++i)
          total += sums[in_group * kLanes + i] + sums[kGroup + in_group * kLanes + i];
        y[row + own_row + in_group] = total;
      }
    }
  }
  __syncwarp();                            // whole warps synchronise a cluster
  if (CLUSTER > 1) synchronise_cluster();  // others still copy to this block and arrive there
}
