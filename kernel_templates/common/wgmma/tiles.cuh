// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Which tiles of the result a block computes, and in what order. The blocks of a cluster have
// ALONG_M by ALONG_N neighbouring tiles, PARTS of them each. Blocks that share a stage's bytes
// release it together.

#include "cluster_copy.cuh"

// The tile's first row and column of the result, and its matrix of the batch.
struct Tile {
  int row;
  int column;
  int matrix;
};

// This block's place in its cluster.
template <int ALONG_M, int ALONG_N, int PARTS>
struct ClusterPlace {
  static constexpr int kAlongM = ALONG_M;
  static constexpr int kAlongN = ALONG_N;
  static constexpr int kParts = PARTS;
  static constexpr int kBlocks = ALONG_M * ALONG_N * PARTS;
  // Who fills this block's stages, so that they must know when they are free: the blocks of its row
  // and of its column in the cluster.
  static constexpr int kFillers = ALONG_M + ALONG_N - 1;

  int m;
  int n;
  int part;  // of K, also where the blocks that share it are no cluster

  static __device__ __forceinline__ ClusterPlace here() {
    const int rank = kBlocks > 1 ? static_cast<int>(blockIdx.x) % kBlocks : 0;
    return {rank % ALONG_M, rank / ALONG_M % ALONG_N,
            PARTS > 1 ? rank / (ALONG_M * ALONG_N) : static_cast<int>(blockIdx.y)};
  }

  // The number in the cluster of the block that has the place (m, n) and this one's part.
  __device__ __forceinline__ int rank_of(int at_m, int at_n) const {
    return ((PARTS > 1 ? part : 0) * ALONG_N + at_n) * ALONG_M + at_m;
  }
  // The blocks of its row, which have the same m, and of its column: a bit for each rank.
  __device__ __forceinline__ unsigned same_row() const {
    unsigned blocks = 0;
    for (int at_n = 0; at_n < ALONG_N; ++at_n) blocks |= 1U << rank_of(m, at_n);
    return blocks;
  }
  __device__ __forceinline__ unsigned same_column() const {
    unsigned blocks = 0;
    for (int at_m = 0; at_m < ALONG_M; ++at_m) blocks |= 1U << rank_of(at_m, n);
    return blocks;
  }
  // The rank of the block that this lane tells that a stage is free. For the first kFillers lanes.
  __device__ __forceinline__ int told_by(int lane) const {
    if constexpr (ALONG_M == 1) return rank_of(0, lane);
    if constexpr (ALONG_N == 1) return rank_of(lane, 0);
    const int beside = lane - ALONG_M;  // in this block's row, this block left out
    return lane < ALONG_M ? rank_of(lane, n) : rank_of(m, beside < n ? beside : beside + 1);
  }
};

// By all lanes of a warp that reads the stage no more.
template <class STAGE, class PLACE>
__device__ __forceinline__ void release(const STAGE& stage, const PLACE& place) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if constexpr (PLACE::kFillers == 1) {
    if (lane == 0) arrive_at_barrier(stage.emptied());
  } else if (lane < PLACE::kFillers) {
    arrive_in_block(stage.emptied(), place.told_by(lane));
  }
}

// Tiles of ROWS by COLUMNS. Neighbours in time share what they read: SIDE_BY_SIDE rows (or columns,
// without BY_ROWS) of clusters are computed together.
template <class PLACE, int ROWS, int COLUMNS, int SIDE_BY_SIDE, bool BY_ROWS>
class Tiles {
 public:
  __device__ __forceinline__ Tiles(int M, int N, int batch, const PLACE& place)
      : along_m_((M + ROWS * PLACE::kAlongM - 1) / (ROWS * PLACE::kAlongM)),
        along_n_((N + COLUMNS * PLACE::kAlongN - 1) / (COLUMNS * PLACE::kAlongN)),
        count_(along_m_ * along_n_ * batch),
        place_(place) {}

  __device__ __forceinline__ int count() const { return count_; }

  // Those of one block: the first, and how far it is from one to the next.
  static __device__ __forceinline__ int first() {
    return static_cast<int>(blockIdx.x) / PLACE::kBlocks;
  }
  static __device__ __forceinline__ int stride() {
    return static_cast<int>(gridDim.x) / PLACE::kBlocks;
  }

  __device__ __forceinline__ Tile at(int index) const {
    const int of_matrix = along_m_ * along_n_;
    const int matrix = count_ == of_matrix ? 0 : index / of_matrix;  // a division takes time
    const int in_matrix = index - matrix * of_matrix;
    const int lines = BY_ROWS ? along_m_ : along_n_;  // of which SIDE_BY_SIDE are
    const int length = BY_ROWS ? along_n_ : along_m_;
    const int first = in_matrix / (SIDE_BY_SIDE * length) * SIDE_BY_SIDE;
    const int in_group = in_matrix - first * length;
    const int side_by_side = SIDE_BY_SIDE == 1 ? 1 : min(SIDE_BY_SIDE, lines - first);
    const int along = in_group / side_by_side;
    const int line = first + in_group - along * side_by_side;
    return {((BY_ROWS ? line : along) * PLACE::kAlongM + place_.m) * ROWS,
            ((BY_ROWS ? along : line) * PLACE::kAlongN + place_.n) * COLUMNS, matrix};
  }

 private:
  int along_m_;  // in clusters
  int along_n_;
  int count_;
  PLACE place_;
};

// The steps of K that a block adds up, one of PARTS of `all`.
struct Steps {
  int first;
  int count;
};
template <int PARTS>
__device__ __forceinline__ Steps steps_of(int all, int part) {
  if constexpr (PARTS == 1) return {0, all};
  const int first = static_cast<int>(static_cast<long long>(all) * part / PARTS);
  const int last = static_cast<int>(static_cast<long long>(all) * (part + 1) / PARTS);
  return {first, last - first};
}
