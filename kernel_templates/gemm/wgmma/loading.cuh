// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// One thread fills the ring with boxes of tensor maps, as far ahead as it has stages. In a cluster
// each block loads a share of every tile and sends it to all blocks that need it; a stage is free
// when the consumers of all those blocks have left it.

#include "cluster_copy.cuh"
#include "geometry.cuh"

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
                                    const Pipeline::Place& place)
      : a_(a),
        b_(b),
        place_(place),
        same_rows_(place.same_row()),
        same_columns_(place.same_column()) {}

  // Fills the stages of one tile. By one thread.
  __device__ __forceinline__ void load(const Tile& tile, const Steps& steps) {
    for (int step = 0; step < steps.count; ++step) {
      const int k = (steps.first + step) * TileA::kDepth;
      const Pipeline::Ring::Stage stage = ring_.stage;
      wait_for_phase(stage.emptied(), ring_.parity ^ 1);
      expect_bytes(stage.filled(), kStageBytes);
      start_tile<TileA, CLUSTER_N>(stage.memory(), a_, tile.row, k, tile.matrix, stage.filled(),
                                   place_.n, static_cast<unsigned short>(same_rows_));
      start_tile<TileB, CLUSTER_M>(stage.memory() + Pipeline::kAtB, b_, tile.column, k, tile.matrix,
                                   stage.filled(), place_.m,
                                   static_cast<unsigned short>(same_columns_));
      ring_.advance();
    }
  }

  __device__ __forceinline__ void drain() { ring_.drain(); }

 private:
  MappedOperand a_;
  MappedOperand b_;
  Pipeline::Place place_;
  Pipeline::Ring::Place ring_;
  unsigned same_rows_;  // of the cluster's blocks: a bit for each rank
  unsigned same_columns_;
};
