// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Stream-K: blocks compute whole tiles as long as there is one for each of them. The steps of those
// that are left, one behind the other, are divided evenly, so that no block is idle meanwhile.
// After: Osama, Merrill, Cecka, Garland and Owens, Stream-K, 2023 (there "data-parallel with
// one-tile Stream-K").

#include "tiles.cuh"

// A block's part of a tile that others have parts of, too. All in the order of the steps.
struct Share {
  int number;  // of the tile, among those that are shared
  int first;   // of the tile's parts, among all parts
  int part;    // of the tile's
  int parts;
};

// As block.cuh wants it. At most MOST clusters (and one that has the end of the tile before) share
// a tile; a cluster shares with those that have its neighbours.
template <class TILES, class PLACE, int MOST>
class StreamedWork {
 public:
  enum : bool { kStreamed = true };

  TILES tiles;
  PLACE place;

  __device__ __forceinline__ StreamedWork(const TILES& all, int steps, const PLACE& here)
      : tiles(all), place(here), steps_(steps) {
    const int clusters = TILES::stride();
    rest_ = all.count() % clusters;
    sharers_ = min(clusters, rest_ * min(MOST, steps));
    whole_ = all.count() - rest_;
    const int own = TILES::first();
    count_ = whole_;
    if (own >= sharers_) return;
    begin_ = begin_of(own);
    end_ = begin_of(own + 1);
    count_ += clusters * (begin_ / steps == (end_ - 1) / steps ? 1 : 2);
  }

  // First() and steps of stride() up to here are whole tiles, and then one or two parts.
  __device__ __forceinline__ int count() const { return count_; }
  __device__ __forceinline__ bool is_shared(int index) const { return index >= whole_; }

  __device__ __forceinline__ Tile tile(int index) const {
    return tiles.at(is_shared(index) ? whole_ + shared_tile(index) : index);
  }
  __device__ __forceinline__ Steps steps_of_tile(int index) const {
    if (!is_shared(index)) return {0, steps_};
    const int zero = shared_tile(index) * steps_;
    const int first = max(begin_ - zero, 0);
    return {first, min(end_ - zero, steps_) - first};
  }
  __device__ __forceinline__ Share share_of(int index) const {
    const int number = shared_tile(index);
    const int first = sharer_of(number * steps_);
    return {number, first + number, TILES::first() - first,
            sharer_of(number * steps_ + steps_ - 1) - first + 1};
  }

  // The number of this block's among those of all blocks, of a cluster's.
  __device__ __forceinline__ int in_cluster(int number) const {
    return number * PLACE::kBlocks + place.rank_of(place.m, place.n);
  }

 private:
  __device__ __forceinline__ int shared_tile(int index) const {
    return begin_ / steps_ + (index >= whole_ + TILES::stride() ? 1 : 0);
  }
  // The first of the shared steps that a cluster has, and the cluster that has a step.
  __device__ __forceinline__ int begin_of(int cluster) const {
    return static_cast<int>(static_cast<long long>(cluster) * (rest_ * steps_) / sharers_);
  }
  __device__ __forceinline__ int sharer_of(int step) const {
    return static_cast<int>((static_cast<long long>(step + 1) * sharers_ - 1) / (rest_ * steps_));
  }

  int steps_;    // of a tile
  int rest_;     // tiles that are shared
  int sharers_;  // clusters that share them
  int whole_;    // other tiles
  int count_;
  int begin_ = 0;  // of the shared steps
  int end_ = 0;
};
