// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// One thread fills the ring with boxes of tensor maps, as far ahead as it has stages. In a cluster
// each block loads a share of every tile and sends it to all blocks that need it; a stage is free
// when the consumers of all those blocks have left it.

#include "cluster_copy.cuh"
#include "tiles.cuh"

// An operand as its map has it: matrices of the batch, or one for all.
struct MappedOperand {
  const TensorMap& map;
  bool shared_by_batch;
};

// Starts this block's share, number `share` of SHARES, of the tile at `position` and `k`, which
// goes to all `blocks`, a bit for each rank.
template <class TILE, int SHARES>
__device__ __forceinline__ void start_tile(unsigned char* tile, const MappedOperand& operand,
                                           int position, int k, int matrix, BulkBarrier* filled,
                                           int share, unsigned short blocks) {
  constexpr int kRows = TILE::kRows / SHARES;
  static_assert(kRows % 8 == 0, "a share has whole patterns of the swizzle");
  const int z = operand.shared_by_batch ? 0 : matrix;
#pragma unroll
  for (int chunk = 0; chunk < TILE::kChunks; ++chunk) {
    const int along = (TILE::kAlongK ? k : position) + chunk * TILE::kChunk;
    const int across = (TILE::kAlongK ? position : k) + share * kRows;
    unsigned char* const target =
        tile + chunk * TILE::kChunkBytes + share * kRows * TILE::kRowBytes;
    if constexpr (SHARES == 1)
      start_box(target, operand.map, along, across, z, filled);
    else
      start_box_in_blocks(target, operand.map, along, across, z, filled, blocks);
  }
}

class Loader {
 public:
  __device__ __forceinline__ Loader(const MappedOperand& a, const MappedOperand& b,
                                    const ClusterPlace& place)
      : a_(a), b_(b), place_(place) {
    for (int n = 0; n < CLUSTER_N; ++n) same_rows_ |= 1U << place.rank_of(place.m, n);
    for (int m = 0; m < CLUSTER_M; ++m) same_columns_ |= 1U << place.rank_of(m, place.n);
  }

  // Fills the stages of one tile. By one thread.
  __device__ __forceinline__ void load(const Tile& tile, const Steps& steps) {
    for (int step = 0; step < steps.count; ++step) {
      const int k = (steps.first + step) * kBlockK;
      const Stage stage = ring_.stage;
      wait_for_phase(stage.emptied(), ring_.parity ^ 1);
      expect_bytes(stage.filled(), kStageBytes);
      start_tile<TileA, CLUSTER_N>(stage.a(), a_, tile.row, k, tile.matrix, stage.filled(),
                                   place_.n, static_cast<unsigned short>(same_rows_));
      start_tile<TileB, CLUSTER_M>(stage.b(), b_, tile.column, k, tile.matrix, stage.filled(),
                                   place_.m, static_cast<unsigned short>(same_columns_));
      ring_.advance();
    }
  }

  // Until all who had something of this block have left it, so that nobody arrives here any more.
  __device__ __forceinline__ void drain() {
#pragma unroll 1
    for (int stage = 0; stage < STAGES; ++stage) {
      wait_for_phase(ring_.stage.emptied(), ring_.parity ^ 1);
      ring_.advance();
    }
  }

 private:
  MappedOperand a_;
  MappedOperand b_;
  ClusterPlace place_;
  RingPlace ring_;
  unsigned same_rows_ = 0;  // of the cluster's blocks: a bit for each rank
  unsigned same_columns_ = 0;
};

// Who fills this block's stages, so that they must know when they are free: the blocks of its row
// and of its column in the cluster.
constexpr int kFillers = CLUSTER_M + CLUSTER_N - 1;
constexpr unsigned kReleases = kFillers * (kPingPong ? 1 : kConsumers) * kGroupThreads / 32;

// The rank of the block that this lane tells that a stage is free. For the first kFillers lanes.
__device__ __forceinline__ int told_by(int lane, const ClusterPlace& place) {
  if constexpr (CLUSTER_M == 1) return place.rank_of(0, lane);
  if constexpr (CLUSTER_N == 1) return place.rank_of(lane, 0);
  const int beside = lane - CLUSTER_M;  // in this block's row, this block left out
  return lane < CLUSTER_M ? place.rank_of(lane, place.n)
                          : place.rank_of(place.m, beside < place.n ? beside : beside + 1);
}

// By all lanes of a warp that reads the stage no more.
__device__ __forceinline__ void release(const Stage& stage, const ClusterPlace& place) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if constexpr (kFillers == 1) {
    if (lane == 0) arrive_at_barrier(stage.emptied());
  } else if (lane < kFillers) {
    arrive_in_block(stage.emptied(), told_by(lane, place));
  }
}
