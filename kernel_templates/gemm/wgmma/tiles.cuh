// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Which tiles of C a block computes, and in what order. The blocks of a cluster have CLUSTER_M by
// CLUSTER_N neighbouring tiles, kClusterParts of them each. Neighbours in time share what they
// read: GROUP rows (or columns, by RASTER) of clusters are computed side by side.

#include "cluster.cuh"
#include "geometry.cuh"

// The tile's first row and column of C, and its matrix of the batch.
struct Tile {
  int row;
  int column;
  int matrix;
};

// This block's place in its cluster.
struct ClusterPlace {
  int m;
  int n;
  int part;  // of K, also where the blocks that share it are no cluster

  // The number in the cluster of the block that has the place (m, n) and this one's part.
  __device__ __forceinline__ int rank_of(int at_m, int at_n) const {
    return ((kClusterParts > 1 ? part : 0) * CLUSTER_N + at_n) * CLUSTER_M + at_m;
  }
};

__device__ __forceinline__ ClusterPlace cluster_place() {
  const int rank = kCluster > 1 ? static_cast<int>(blockIdx.x) % kCluster : 0;
  return {rank % CLUSTER_M, rank / CLUSTER_M % CLUSTER_N,
          kClusterParts > 1 ? rank / (CLUSTER_M * CLUSTER_N) : static_cast<int>(blockIdx.y)};
}

class Tiles {
 public:
  __device__ __forceinline__ Tiles(int M, int N, int batch, const ClusterPlace& place)
      : along_m_((M + BLOCK_M * CLUSTER_M - 1) / (BLOCK_M * CLUSTER_M)),
        along_n_((N + BLOCK_N * CLUSTER_N - 1) / (BLOCK_N * CLUSTER_N)),
        count_(along_m_ * along_n_ * batch),
        place_(place) {}

  __device__ __forceinline__ int count() const { return count_; }

  __device__ __forceinline__ Tile at(int index) const {
    const int of_matrix = along_m_ * along_n_;
    const int matrix = count_ == of_matrix ? 0 : index / of_matrix;  // a division takes time
    const int in_matrix = index - matrix * of_matrix;
    constexpr bool kRows = RASTER == RASTER_ROWS;
    const int lines = kRows ? along_m_ : along_n_;  // of which GROUP are side by side
    const int length = kRows ? along_n_ : along_m_;
    const int first = in_matrix / (GROUP * length) * GROUP;
    const int in_group = in_matrix - first * length;
    const int side_by_side = GROUP == 1 ? 1 : min(GROUP, lines - first);
    const int along = in_group / side_by_side;
    const int line = first + in_group - along * side_by_side;
    return {((kRows ? line : along) * CLUSTER_M + place_.m) * BLOCK_M,
            ((kRows ? along : line) * CLUSTER_N + place_.n) * BLOCK_N, matrix};
  }

 private:
  int along_m_;  // in clusters
  int along_n_;
  int count_;
  ClusterPlace place_;
};

// The tiles of one block: the first, and how far it is from one to the next.
__device__ __forceinline__ int first_tile() {
  return static_cast<int>(blockIdx.x) / kCluster;
}
__device__ __forceinline__ int tile_stride() {
  return static_cast<int>(gridDim.x) / kCluster;
}

// The steps of K, kBlockK each, that a block adds up.
struct Steps {
  int first;
  int count;
};
__device__ __forceinline__ Steps steps_of(int K, int part) {
  const int all = (K + kBlockK - 1) / kBlockK;
  if constexpr (SPLIT_K == 1) return {0, all};
  const int first = static_cast<int>(static_cast<long long>(all) * part / SPLIT_K);
  const int last = static_cast<int>(static_cast<long long>(all) * (part + 1) / SPLIT_K);
  return {first, last - first};
}
