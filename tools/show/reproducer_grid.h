// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <climits>

#include "reproducer_harness.h"

// Grids of a reproducer that depend on how many blocks the device holds at once.

namespace tilewright_reproducer {

// An integer of a manifest's expressions: `/` rounds down, and `%` goes with it.
struct Whole {
  long long value;

  Whole(long long given) : value(given) {}
  explicit operator bool() const { return value != 0; }
  friend Whole operator+(Whole a, Whole b) { return a.value + b.value; }
  friend Whole operator-(Whole a, Whole b) { return a.value - b.value; }
  friend Whole operator-(Whole a) { return -a.value; }
  friend Whole operator*(Whole a, Whole b) { return a.value * b.value; }
  friend Whole operator/(Whole a, Whole b) {
    if (b.value == 0) {
      std::fprintf(stderr, "a grid is divided by 0\n");
      std::exit(3);
    }
    return a.value / b.value - (a.value % b.value != 0 && (a.value < 0) != (b.value < 0) ? 1 : 0);
  }
  friend Whole operator%(Whole a, Whole b) { return a - a / b * b; }
  friend bool operator==(Whole a, Whole b) { return a.value == b.value; }
  friend bool operator!=(Whole a, Whole b) { return a.value != b.value; }
  friend bool operator<(Whole a, Whole b) { return a.value < b.value; }
  friend bool operator<=(Whole a, Whole b) { return a.value <= b.value; }
  friend bool operator>(Whole a, Whole b) { return a.value > b.value; }
  friend bool operator>=(Whole a, Whole b) { return a.value >= b.value; }
};

inline Whole min(Whole a, Whole b) {
  return a < b ? a : b;
}
inline Whole max(Whole a, Whole b) {
  return a > b ? a : b;
}
inline Whole abs(Whole a) {
  return a < 0 ? -a : a;
}
inline Whole ceil_div(Whole a, Whole b) {
  return -(-a / b);
}

struct Grid {
  Whole x, y, z;
};

// How many blocks of this shape the device holds at once. The grid does not matter.
inline long long resident_blocks(const char* name, const void* kernel, const Shape& shape) {
  opt_in(kernel, shape, name);
  const auto shared = static_cast<std::size_t>(shape.shared_bytes);
  int count = 0;
  if (blocks_of_cluster(shape) > 1) {
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = shape.cluster.x;
    cluster.val.clusterDim.y = shape.cluster.y;
    cluster.val.clusterDim.z = shape.cluster.z;
    cudaLaunchConfig_t config = {};
    config.gridDim = shape.cluster;
    config.blockDim = shape.block;
    config.dynamicSmemBytes = shared;
    config.attrs = &cluster;
    config.numAttrs = 1;
    check(cudaOccupancyMaxActiveClusters(&count, kernel, &config), name);
    return static_cast<long long>(count) * blocks_of_cluster(shape);
  }
  const auto threads = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, threads, shared), name);
  int device = 0;
  int multiprocessors = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "asking for the multiprocessors");
  return static_cast<long long>(count) * multiprocessors;
}

inline unsigned blocks_in(const char* name, Whole blocks) {
  if (blocks >= 1 && blocks <= INT_MAX) return static_cast<unsigned>(blocks.value);
  std::fprintf(stderr, "%s: a grid of %lld blocks\n", name, blocks.value);
  std::exit(3);
}

// The shape with the grid that `grid_of` gives for the number of resident blocks.
template <class... P, class GridOf>
Shape with_grid(const char* name, void (*kernel)(P...), Shape shape, const GridOf& grid_of) {
  const Grid grid = grid_of(resident_blocks(name, reinterpret_cast<const void*>(kernel), shape));
  shape.grid = dim3(blocks_in(name, grid.x), blocks_in(name, grid.y), blocks_in(name, grid.z));
  return shape;
}

}  // namespace tilewright_reproducer
