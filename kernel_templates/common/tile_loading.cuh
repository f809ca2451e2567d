// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// How tiles of a plane with their halo come into shared memory by the threads themselves.
//
// A Layout says what a tile consists of and where its samples lie:
//   Kept              what samples are kept as
//   kThreads, kVector, kAsync   threads of a block, elements of an access to global memory, whether
//                     copies go on by themselves
//   kVectors          vectors of a row
//   kColumns          columns of a row that must exist where none of them is tested
//   kFirst, kOwn      with kOwn > 0: the kOwn vectors from kFirst on are loaded before the others
//   thread()          the thread's index in its block
//   at(slot, column)  where a sample lies in the tile

#include "plane.cuh"

constexpr int kMostInFlight = 8;  // accesses that a thread has under way at once

// Where rows go and come from: the first one's slot, and the image row and column of slot 0's
// first sample.
template <class Layout>
struct TileLoad {
  typename Layout::Kept* tile;
  int slot;
  const Plane& plane;
  int row, column;
};

// Which vector a thread loads next, of COUNT in each of some rows. Threads go on by steps, without
// dividing; where COUNT divides their number, the steps are whole rows.
template <class Layout, int COUNT>
struct Walk {
  int row, item;

  __device__ __forceinline__ Walk()
      : row(Layout::thread() / COUNT), item(Layout::thread() - row * COUNT) {}

  __device__ __forceinline__ void step() {
    row += Layout::kThreads / COUNT;
    item += Layout::kThreads % COUNT;
    if (Layout::kThreads % COUNT != 0 && item >= COUNT) {
      item -= COUNT;
      ++row;
    }
  }
};

// COUNT of the vectors of ROWS rows: those from FIRST on, or with BESIDE all but those that a call
// without it would take for FIRST and kVectors − COUNT.
template <Reach REACH, int FIRST, int COUNT, bool BESIDE, class Layout>
__device__ __forceinline__ void load_item(const TileLoad<Layout>& load,
                                          const Walk<Layout, COUNT>& walk) {
  const int item = walk.item;
  const int vector = !BESIDE ? FIRST + item : item < FIRST ? item : item + Layout::kVectors - COUNT;
  load_vector<Layout::kVector, Layout::kAsync, REACH>(
      load.tile + Layout::at(load.slot + walk.row, vector * Layout::kVector), load.plane,
      load.row + walk.row, load.column + vector * Layout::kVector);
}

template <Reach REACH, int ROWS, int FIRST, int COUNT, bool BESIDE, class Layout>
__device__ __forceinline__ void load_columns(const TileLoad<Layout>& load) {
  constexpr int kTrips = ROWS * COUNT / Layout::kThreads;
  constexpr int kUnroll = REACH == Reach::ghosts ? 1 : kMostInFlight;
  Walk<Layout, COUNT> walk;
#pragma unroll kUnroll
  for (int trip = 0; trip < kTrips; ++trip) {
    load_item<REACH, FIRST, COUNT, BESIDE>(load, walk);
    walk.step();
  }
  if (ROWS * COUNT % Layout::kThreads != 0 && walk.row < ROWS)
    load_item<REACH, FIRST, COUNT, BESIDE>(load, walk);
}

template <Reach REACH, int ROWS, class Layout>
__device__ __forceinline__ void load_all_columns(const TileLoad<Layout>& load) {
  if constexpr (Layout::kOwn > 0) {
    constexpr int kBeside = Layout::kVectors - Layout::kOwn;
    load_columns<REACH, ROWS, Layout::kFirst, Layout::kOwn, false>(load);
    if constexpr (kBeside > 0) load_columns<REACH, ROWS, Layout::kFirst, kBeside, true>(load);
  } else {
    load_columns<REACH, ROWS, 0, Layout::kVectors, false>(load);
  }
}

// Whether ROWS rows from `row`, and all columns that are kept from `column` on, lie in the image.
template <class Layout, int ROWS>
__device__ __forceinline__ bool is_interior(const Plane& plane, int row, int column) {
  return row >= 0 && row + ROWS <= plane.height && column >= 0 &&
         column + Layout::kColumns <= plane.width;
}

// ROWS rows of the image from `row`, all columns that are kept from `column` on.
template <class Layout, int ROWS>
__device__ __forceinline__ void load_rows(typename Layout::Kept* tile, int slot, const Plane& plane,
                                          int row, int column) {
  const TileLoad<Layout> load = {tile, slot, plane, row, column};
  if (is_interior<Layout, ROWS>(plane, row, column))
    load_all_columns<Reach::nothing, ROWS>(load);
  else if (reach_beyond<Layout::kVector>(plane) == Reach::zeros)
    load_all_columns<Reach::zeros, ROWS>(load);
  else
    load_all_columns<Reach::ghosts, ROWS>(load);
}

// Loads one tile after the other. All threads call all functions together.
template <class Layout>
struct ThreadLoader {
  template <int ROWS>
  __device__ __forceinline__ void start(typename Layout::Kept* tile, int slot, const Plane& plane,
                                        int row, int column) const {
    load_rows<Layout, ROWS>(tile, slot, plane, row, column);
  }

  // Everything that was started is ready.
  __device__ __forceinline__ void finish() const {
    if (Layout::kAsync) wait_for_copies();
    __syncthreads();
  }
};
