// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// How rows of the image come into shared memory by the threads themselves.

#include "geometry.cuh"

#if LOADING != LOADING_CACHE

constexpr int kMostInFlight = 8;  // accesses that a thread has under way at once

// Where rows go and come from: the first one's slot, and the image row and column of slot 0's
// first sample.
struct Load {
  Kept* tile;
  int slot;
  const Plane& plane;
  int row, column;
};

// Which vector a thread loads next, of COUNT in each of some rows. Threads go on by steps, without
// dividing; where COUNT divides their number, the steps are whole rows.
template <int COUNT>
struct Walk {
  int row, item;

  __device__ __forceinline__ Walk()
      : row(thread_index() / COUNT), item(thread_index() - row * COUNT) {}

  __device__ __forceinline__ void step() {
    row += kThreads / COUNT;
    item += kThreads % COUNT;
    if (kThreads % COUNT != 0 && item >= COUNT) {
      item -= COUNT;
      ++row;
    }
  }
};

// COUNT of the vectors of ROWS rows: those from FIRST on, or with BESIDE all but those that a call
// without it would take for FIRST and kVectors − COUNT.
template <Reach REACH, int FIRST, int COUNT, bool BESIDE>
__device__ __forceinline__ void load_item(const Load& load, const Walk<COUNT>& walk) {
  const int item = walk.item;
  const int vector = !BESIDE ? FIRST + item : item < FIRST ? item : item + kVectors - COUNT;
  load_vector<VECTOR, kAsync, REACH>(
      load.tile + (in_ring(load.slot + walk.row) * kPitch + place(vector * VECTOR)), load.plane,
      load.row + walk.row, load.column + vector * VECTOR);
}

template <Reach REACH, int ROWS, int FIRST, int COUNT, bool BESIDE>
__device__ __forceinline__ void load_columns(const Load& load) {
  constexpr int kTrips = ROWS * COUNT / kThreads;
  constexpr int kUnroll = REACH == Reach::ghosts ? 1 : kMostInFlight;
  Walk<COUNT> walk;
#pragma unroll kUnroll
  for (int trip = 0; trip < kTrips; ++trip) {
    load_item<REACH, FIRST, COUNT, BESIDE>(load, walk);
    walk.step();
  }
  if (ROWS * COUNT % kThreads != 0 && walk.row < ROWS)
    load_item<REACH, FIRST, COUNT, BESIDE>(load, walk);
}

template <Reach REACH, int ROWS>
__device__ __forceinline__ void load_all_columns(const Load& load) {
#if LOADING == LOADING_SPLIT || LOADING == LOADING_ASYNC
  constexpr int kOwn = kTileColumns / VECTOR;
  constexpr bool kOwnAreKept = kLeft >= 0 && kLeft / VECTOR + kOwn <= kVectors;
  constexpr int kFirst = kOwnAreKept ? kLeft / VECTOR : 0;
  load_columns<REACH, ROWS, kFirst, kOwn, false>(load);
  if constexpr (kVectors > kOwn) load_columns<REACH, ROWS, kFirst, kVectors - kOwn, true>(load);
#else
  load_columns<REACH, ROWS, 0, kVectors, false>(load);
#endif
}

struct ThreadLoader {
  // ROWS rows of the image from `row`, all columns that are kept from `column` on.
  template <int ROWS>
  __device__ __forceinline__ void start(Kept* tile, int slot, const Plane& plane, int row,
                                        int column) const {
    const Load load = {tile, slot, plane, row, column};
    if (is_interior<ROWS>(plane, row, column))
      load_all_columns<Reach::nothing, ROWS>(load);
    else if (reach_beyond<VECTOR>(plane) == Reach::zeros)
      load_all_columns<Reach::zeros, ROWS>(load);
    else
      load_all_columns<Reach::ghosts, ROWS>(load);
  }

  // Everything that was started is ready.
  __device__ __forceinline__ void finish() const {
    if (kAsync) wait_for_copies();
    __syncthreads();
  }
};

#endif
