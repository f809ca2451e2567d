// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// How the threads of a block bring rows of a plane into shared memory, those of a tile with its
// halo. A type TILE says where they go. It has
//   kThreads, thread()  threads of the block, and this one's number
//   kVector             samples of one access; a row begins at a multiple of it
//   kVectors            vectors of a row that are kept
//   kFirstOwn, kOwn     which of them are loaded before those beside them, which are loaded in a
//                       second loop: the tile's own columns. All in one loop: 0 and kVectors.
//   kAsync              whether copies go on by themselves (cp.async)
//   kColumns            columns that must exist where none of them is tested
//   Kept                what samples are kept as
//   place(row, column)  where a sample of a vector's begin lies, counted from slot 0's first one

#include "plane.cuh"

constexpr int kMostInFlight = 8;  // accesses that a thread has under way at once

// Where rows go and come from: the first one's slot, and the plane's row and column of the first
// sample.
template <class TILE>
struct TileLoad {
  typename TILE::Kept* tile;
  int slot;
  const Plane& plane;
  int row, column;
};

// Which vector a thread loads next, of COUNT in each of some rows. Threads go on by steps, without
// dividing; where COUNT divides their number, the steps are whole rows.
template <class TILE, int COUNT>
struct TileWalk {
  int row, item;

  __device__ __forceinline__ TileWalk()
      : row(TILE::thread() / COUNT), item(TILE::thread() - row * COUNT) {}

  __device__ __forceinline__ void step() {
    row += TILE::kThreads / COUNT;
    item += TILE::kThreads % COUNT;
    if (TILE::kThreads % COUNT != 0 && item >= COUNT) {
      item -= COUNT;
      ++row;
    }
  }
};

// COUNT of the vectors of some rows: those from FIRST on, or with BESIDE all but those that a call
// without it would take for FIRST and kVectors − COUNT.
template <class TILE, Reach REACH, int FIRST, int COUNT, bool BESIDE>
__device__ __forceinline__ void load_item(const TileLoad<TILE>& load,
                                          const TileWalk<TILE, COUNT>& walk) {
  const int item = walk.item;
  const int vector = !BESIDE ? FIRST + item : item < FIRST ? item : item + TILE::kVectors - COUNT;
  const int column = vector * TILE::kVector;
  load_vector<TILE::kVector, TILE::kAsync, REACH>(
      load.tile + TILE::place(load.slot + walk.row, column), load.plane, load.row + walk.row,
      load.column + column);
}

template <class TILE, Reach REACH, int ROWS, int FIRST, int COUNT, bool BESIDE>
__device__ __forceinline__ void load_columns(const TileLoad<TILE>& load) {
  constexpr int kTrips = ROWS * COUNT / TILE::kThreads;
  constexpr int kUnroll = REACH == Reach::ghosts ? 1 : kMostInFlight;
  TileWalk<TILE, COUNT> walk;
#pragma unroll kUnroll
  for (int trip = 0; trip < kTrips; ++trip) {
    load_item<TILE, REACH, FIRST, COUNT, BESIDE>(load, walk);
    walk.step();
  }
  if (ROWS * COUNT % TILE::kThreads != 0 && walk.row < ROWS)
    load_item<TILE, REACH, FIRST, COUNT, BESIDE>(load, walk);
}

// ROWS rows, all columns that are kept.
template <class TILE, Reach REACH, int ROWS>
__device__ __forceinline__ void load_rows(const TileLoad<TILE>& load) {
  constexpr int kBeside = TILE::kVectors - TILE::kOwn;
  load_columns<TILE, REACH, ROWS, TILE::kFirstOwn, TILE::kOwn, false>(load);
  if constexpr (kBeside > 0) load_columns<TILE, REACH, ROWS, TILE::kFirstOwn, kBeside, true>(load);
}

// Whether ROWS rows from `row`, and all columns that are kept from `column` on, lie in the plane.
template <class TILE, int ROWS>
__device__ __forceinline__ bool is_interior(const Plane& plane, int row, int column) {
  return row >= 0 && row + ROWS <= plane.height && column >= 0 &&
         column + TILE::kColumns <= plane.width;
}

// The same with as few tests of edges as the place of the tile allows.
template <class TILE, int ROWS>
__device__ __forceinline__ void load_rows(const TileLoad<TILE>& load) {
  if (is_interior<TILE, ROWS>(load.plane, load.row, load.column))
    load_rows<TILE, Reach::nothing, ROWS>(load);
  else if (reach_beyond<TILE::kVector>(load.plane) == Reach::zeros)
    load_rows<TILE, Reach::zeros, ROWS>(load);
  else
    load_rows<TILE, Reach::ghosts, ROWS>(load);
}

// Loads one tile after the other. All threads call all functions together.
template <class TILE>
struct ThreadLoader {
  // ROWS rows of the plane from `row`, all columns that are kept from `column` on.
  template <int ROWS>
  __device__ __forceinline__ void start(typename TILE::Kept* tile, int slot, const Plane& plane,
                                        int row, int column) const {
    load_rows<TILE, ROWS>({tile, slot, plane, row, column});
  }

  // Everything that was started is ready.
  __device__ __forceinline__ void finish() const {
    if (TILE::kAsync) wait_for_copies();
    __syncthreads();
  }
};
