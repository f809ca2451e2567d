// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Planes of a volume, one after the other, on their way through a ring of tiles in shared memory.

#include "plane_tile.cuh"
#if LOADING == LOADING_BULK
#include "bulk_tile_loading.cuh"
#endif

struct Volume {
  const Element* samples;
  int width, height, depth, pitch;
  int first;  // plane among those of all volumes

  __device__ __forceinline__ Plane plane(int z) const {
    return {samples + z * height * pitch, width, height, pitch, first + z};
  }
};

// A march of a block through a volume: `count` planes from `first` on, of which some may be ghosts,
// and the place of its tile in each of them.
struct March {
  int first, count, row, column;
};

// What bulk copies need besides: a map of all planes, whose boxes are tiles, and a barrier for each
// slot, initialised by make_bulk_way.
#if LOADING == LOADING_BULK
struct BulkWay {
  const TensorMap& map;
  BulkBarrier* barriers;
};

template <int SLOTS>
__device__ __forceinline__ BulkWay make_bulk_way(const TensorMap& map,
                                                 BulkBarrier (&barriers)[SLOTS]) {
  if (thread_index() == 0) {
#pragma unroll
    for (int i = 0; i < SLOTS; ++i) init_barrier(barriers + i);
  }
  __syncthreads();
  return {map, barriers};
}
#else
struct BulkWay {};
#endif

// All threads call all functions together. Planes are numbered from the first of the march. With
// the boundary zero only those from begin() to end() − 1 exist: the others are zero and not loaded.
// Plane n lies in slot (n − begin()) % SLOTS.
template <class TILE, int SLOTS>
class PlaneStream {
 public:
  using Kept = typename TILE::Kept;

  __device__ __forceinline__ PlaneStream(Kept* slots, const BulkWay& way)
      : slots_(slots), way_(way) {}

  // Before the first plane of each march. Nothing is under way, and no thread reads a slot.
  __device__ __forceinline__ void start(const Volume& volume, const March& march) {
    volume_ = volume;
    march_ = march;
    next_ = begin();
    slot_ = 0;
    read_ = 0;
#if LOADING == LOADING_BULK
    by_box_ = comes_as_box<TILE, TILE::kRows>(volume.plane(0), march.row, march.column);
#endif
  }

  __device__ __forceinline__ int begin() const {
    return !kGhostsAreZero ? 0 : min(max(-march_.first, 0), march_.count);
  }
  __device__ __forceinline__ int end() const {
    return !kGhostsAreZero ? march_.count
                           : max(min(volume_.depth - march_.first, march_.count), begin());
  }
  __device__ __forceinline__ int count() const {
    return march_.count;
  }

  // Starts to load the plane after the one that was started last, into the slot after its own,
  // which no thread reads any more. Beyond the end it does nothing.
  __device__ __forceinline__ void start_next() {
    if (next_ < end()) load(volume_.plane(source_index(march_.first + next_, volume_.depth)));
    if (TILE::kAsync) end_copy_group();
    ++next_;
    slot_ = after(slot_);
  }

  // Until the next plane is there, for all threads. AHEAD planes after it are loaded meanwhile, for
  // which start_next() was called as often before the first. Its slot.
  template <int AHEAD>
  __device__ __forceinline__ int advance() {
    const int slot = read_;
    if (AHEAD == 0) {
      __syncthreads();
      start_next();
    }
    wait<AHEAD == 0 ? 0 : AHEAD - 1>(slot);
    __syncthreads();
    if (AHEAD > 0) start_next();
    read_ = after(slot);
    return slot;
  }

  // Waits for the plane in `slot`, after which at most LATER were started. Other threads' parts of
  // it are there after the next __syncthreads(). Once for each plane.
  template <int LATER>
  __device__ __forceinline__ void wait(int slot) {
    if (TILE::kAsync) wait_for_copies_but<LATER>();
#if LOADING == LOADING_BULK
    if (by_box_) {
      wait_for_bytes(way_.barriers + slot, parities_ >> slot & 1U);
      parities_ ^= 1U << slot;
    }
#endif
  }

  static __device__ __forceinline__ int after(int slot) {
    return slot + 1 < SLOTS ? slot + 1 : 0;
  }
  __device__ __forceinline__ const Kept* tile(int slot) const {
    return slots_ + (slot * TILE::kSlot + TILE::kBegin);
  }

 private:
  __device__ __forceinline__ void load(const Plane& plane) {
    Kept* const tile = slots_ + (slot_ * TILE::kSlot + TILE::kBegin);
    const TileLoad<TILE> load = {tile, 0, plane, march_.row, march_.column};
#if LOADING == LOADING_BULK
    if (!by_box_) {
      load_rows<TILE, Reach::ghosts, TILE::kRows>(load);
      proxy_fence();
    } else if (thread_index() == 0) {
      start_tile<TILE>(tile, 0, way_.map, plane, march_.row, march_.column, way_.barriers + slot_);
    }
#else
    load_rows<TILE, TILE::kRows>(load);
#endif
  }

  Kept* slots_;
  BulkWay way_;
  Volume volume_ = {};
  March march_ = {};
  int next_ = 0;  // which plane is started next, and its slot
  int slot_ = 0;
  int read_ = 0;  // the slot of the plane that is there next
#if LOADING == LOADING_BULK
  bool by_box_ = false;    // whether copies bring the tiles of this march
  unsigned parities_ = 0;  // of the next copy to each slot
#endif
};

// Goes through a march that was started: add(n, slot) for each plane that exists, when it is there,
// and after it, or for a plane of zeros instead of it, finish(n). AHEAD planes after it are loaded
// meanwhile. The loop over planes that exist has no branch around `add`, because sums in registers
// then move on without instructions.
template <int AHEAD, class STREAM, class ADD, class FINISH>
__device__ __forceinline__ void visit_planes(STREAM& stream, const ADD& add, const FINISH& finish) {
#pragma unroll
  for (int i = 0; i < AHEAD; ++i) stream.start_next();
#pragma unroll 1
  for (int n = 0; n < stream.begin(); ++n) finish(n);
  const int end = stream.end();
#pragma unroll 1
  for (int n = stream.begin(); n < end; ++n) {
    add(n, stream.template advance<AHEAD>());
    finish(n);
  }
#pragma unroll 1
  for (int n = end; n < stream.count(); ++n) finish(n);
}

// Sums of several planes, to which one plane of samples after the other contributes, move on by
// one: the last are done, new ones begin.
template <int DEPTH>
__device__ __forceinline__ void move_on(Sum (&sums)[DEPTH][OUTPUTS_Y][OUTPUTS_X]) {
#pragma unroll
  for (int z = DEPTH - 1; z >= 0; --z)
#pragma unroll
    for (int y = 0; y < OUTPUTS_Y; ++y)
#pragma unroll
      for (int x = 0; x < OUTPUTS_X; ++x)
        sums[z][y][x] = z > 0 ? sums[z > 0 ? z - 1 : 0][y][x] : Sum(0);
}
