// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// How the stages of a ring are multiplied into the sums of one consumer, a warp group. Each stage
// has a tile of either operand.

#include "multiplication.cuh"
#include "named_barrier.cuh"
#include "tiles.cuh"

// Two consumers that take turns: one multiplies its tile when the other has started all products of
// the tile before. So neither waits for a stage a lap behind the other, when it would have the
// parity of another lap.
template <int CONSUMER_COUNT>
struct Turns {
  static __device__ __forceinline__ void wait(int consumer) {
    wait_at_named_barrier(1 + CONSUMER_COUNT + consumer, CONSUMER_COUNT * kGroupThreads);
  }
  static __device__ __forceinline__ void give(int consumer) {
    arrive_at_named_barrier(1 + CONSUMER_COUNT + (1 - consumer), CONSUMER_COUNT * kGroupThreads);
  }
};

// PIPELINE has
//   Ring, Place              ring.cuh, and the ClusterPlace of its blocks
//   Left, Right, Sum         the operands' tiles, and what products are summed in
//   kLeftAt, kRightAt        where they are in a stage, in bytes
//   kBands, kColumns         bands of 64 left positions, and right positions, of a consumer
//   kAtOnce                  right positions of one multiplication
//   kConsumers, kPingPong    warp groups behind the first one, which loads; whether each has tiles
//                            of its own, and not a part of each tile
//   kInFlight                stages whose products are under way: 1 or 2
//   kLag                     stages that the second of two consumers multiplies when the first has
//                            started all of its own, so that one stores while the other multiplies:
//                            0, or all but one of the ring, with two stages in flight. The ring
//                            holds those stages for both; with still fewer steps the first could
//                            come to the end of the next tile before the second comes here.
template <class PIPELINE>
class Consumer {
 public:
  using Ring = typename PIPELINE::Ring;
  using Stage = typename Ring::Stage;
  using Place = typename PIPELINE::Place;
  using Left = typename PIPELINE::Left;
  using Right = typename PIPELINE::Right;
  using OwnSums = Sums<typename PIPELINE::Sum, PIPELINE::kBands, PIPELINE::kColumns>;
  static constexpr int kThreads = PIPELINE::kConsumers * kGroupThreads;  // of all consumers

  // Float8 products are summed in few bits within the instruction (about 14 on sm_90), so what a
  // stage adds up goes to sums of whole floats.
  static constexpr bool kPromotes =
      sizeof(typename Left::Element) == 1 && kSameType<typename PIPELINE::Sum, float>;
  static constexpr int kLag = kPromotes ? 0 : PIPELINE::kLag;
  // Of a stage, by warps of this block and of those that it fills stages for.
  static constexpr unsigned kReleases =
      Place::kFillers * (PIPELINE::kPingPong ? 1 : PIPELINE::kConsumers) * kGroupThreads / 32;

  // Multiplies the left positions of a tile from `left` on, a multiple of 64, with the right ones
  // from `right` on. The words are those of stage 0; a stage only adds its distance from there.
  __device__ __forceinline__ Consumer(int left, int right, const Place& place)
      : first_(left),
        place_(place),
        left_(same_in_warp(lower_word<Left>(left_tile({0})) + (Left::offset(left, 0) >> 4))),
        right_(same_in_warp(lower_word<Right>(Stage{0}.memory() + PIPELINE::kRightAt) +
                            (Right::offset(right, 0) >> 4))) {}

  __device__ __forceinline__ const Place& place() const { return place_; }

  // Adds up the consumer's part of a tile from `steps` stages, from `ring` on, which advances, and
  // releases each stage when its products are in the sums; but for what finish() finishes. Returns
  // the last one. `may_be_none`: whether there may be no steps.
  template <bool MAY_BE_NONE>
  __device__ __forceinline__ Stage multiply(OwnSums& sums, typename Ring::Place& ring,
                                            int steps) const {
    if (kPromotes || (MAY_BE_NONE && steps == 0)) sums.clear();
    if constexpr (kPromotes) {
      add_promoted(sums, ring, steps);
      return {0};
    } else {
      return add(sums, ring, steps);
    }
  }

  // Until all is in the sums; releases the last stage if two are in flight.
  __device__ __forceinline__ void finish(OwnSums& sums, const Stage& last, int steps) const {
    if constexpr (PIPELINE::kInFlight == 2 && !kPromotes) {
      wait_for_products<0>();
      if (steps > 0) release(last, place_);
    }
    sums.pin();
  }

 private:
  // The number after those of storing.cuh, which turns have too, in another schedule.
  static constexpr int kLagBarrier = 1 + PIPELINE::kConsumers;

  static __device__ __forceinline__ unsigned char* left_tile(const Stage& stage) {
    return stage.memory() + PIPELINE::kLeftAt;
  }

  __device__ __forceinline__ void start(OwnSums& sums, const Stage& stage, bool fresh) const {
    const unsigned further = static_cast<unsigned>(stage.number) * (Ring::kStageBytes >> 4);
    static_assert(!Left::kInRegisters || PIPELINE::kInFlight == 1, "one stage is in registers");
    start_products<Left, Right, PIPELINE::kAtOnce>(sums, left_tile(stage), first_, left_ + further,
                                                   right_ + further, fresh);
  }

  // The next stage, which is released when its products are in the sums, or with two in flight the
  // one `before`. `fresh`: there is none before.
  __device__ __forceinline__ void add_stage(OwnSums& sums, typename Ring::Place& ring,
                                            Stage& before, bool fresh) const {
    wait_for_bytes(ring.stage.filled(), ring.parity);
    start(sums, ring.stage, fresh);
    wait_for_products<PIPELINE::kInFlight - 1>();
    if (PIPELINE::kInFlight == 1)
      release(ring.stage, place_);
    else if (!fresh)
      release(before, place_);
    before = ring.stage;
    ring.advance();
  }

  __device__ __forceinline__ Stage add(OwnSums& sums, typename Ring::Place& ring, int steps) const {
    // Whether the consumers end one after the other.
    const bool apart = kLag > 0 && steps >= Ring::kStages;
    const bool second = first_ > 0;
    const int before_lag = apart && second ? steps - kLag : steps;
    Stage before = {0};
#pragma unroll 1
    for (int step = 0; step < before_lag; ++step) add_stage(sums, ring, before, step == 0);
    if (apart && second) {
      wait_at_named_barrier(kLagBarrier, kThreads);
#pragma unroll 1
      for (int step = 0; step < kLag; ++step) add_stage(sums, ring, before, false);
    } else if (apart) {
      arrive_at_named_barrier(kLagBarrier, kThreads);
    }
    return before;
  }

  // The same, but each stage is summed up by itself and then added to `sums`.
  __device__ __forceinline__ void add_promoted(OwnSums& sums, typename Ring::Place& ring,
                                               int steps) const {
    OwnSums of_stage;
    for (int step = 0; step < steps; ++step) {
      wait_for_bytes(ring.stage.filled(), ring.parity);
      start(of_stage, ring.stage, true);
      wait_for_products<0>();
      of_stage.pin();
      release(ring.stage, place_);
      ring.advance();
      sums.add(of_stage);
    }
  }

  int first_;
  Place place_;
  unsigned left_;
  unsigned right_;
};
