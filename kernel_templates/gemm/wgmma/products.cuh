// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// How the stages of the ring are multiplied into the sums of one consumer.

#include "loading.cuh"
#include "multiplication.cuh"
#include "named_barrier.cuh"

// Float8 products are summed in few bits within the instruction (about 14 on sm_90), so what a
// stage adds up goes to sums of whole floats.
constexpr bool kPromotes = sizeof(ElementA) == 1 && kSameType<Sum, float>;

// Of two consumers that share a tile, the second multiplies its last stages when the first has
// started all of its own, so that one stores while the other multiplies. One stage in flight would
// not keep the tensor cores busy meanwhile, and split sums are not stored before all are there. The
// ring holds those stages for both; with still fewer steps the first could come to the end of the
// next tile before the second comes here.
constexpr int kLag =
    SCHEDULE == SCHEDULE_COOPERATIVE && SPLIT_K == 1 && IN_FLIGHT == 2 && !kPromotes ? STAGES - 1
                                                                                     : 0;
// The number after those of storing.cuh, which turns have too, in another SCHEDULE.
constexpr int kLagBarrier = 1 + kConsumers;

// A consumer of the block: what it multiplies, and where its block is.
struct Consumer {
  Factors factors;
  ClusterPlace place;
};

// The next stage, which is released when its products are in the sums, or with two IN_FLIGHT the
// one `before`. `fresh`: there is none before.
__device__ __forceinline__ void add_stage(Sums& sums, RingPlace& ring, Stage& before,
                                          const Consumer& consumer, bool fresh) {
  wait_for_bytes(ring.stage.filled(), ring.parity);
  start_products(sums, ring.stage, consumer.factors, fresh);
  wait_for_products<IN_FLIGHT - 1>();
  if (IN_FLIGHT == 1)
    release(ring.stage, consumer.place);
  else if (!fresh)
    release(before, consumer.place);
  before = ring.stage;
  ring.advance();
}

// Multiplies `steps` stages from `ring` on, which advances, and releases each when its products are
// in the sums. Returns the last one, which finish_products() releases if two are IN_FLIGHT.
__device__ __forceinline__ Stage add_products(Sums& sums, RingPlace& ring, const Consumer& consumer,
                                              int steps) {
  const bool apart = kLag > 0 && steps >= STAGES;  // the consumers end one after the other
  const bool second = consumer.factors.first > 0;
  const int before_lag = apart && second ? steps - kLag : steps;
  Stage before = {0};
#pragma unroll 1
  for (int step = 0; step < before_lag; ++step) add_stage(sums, ring, before, consumer, step == 0);
  if (apart && second) {
    wait_at_named_barrier(kLagBarrier, kConsumerThreads);
#pragma unroll 1
    for (int step = 0; step < kLag; ++step) add_stage(sums, ring, before, consumer, false);
  } else if (apart) {
    arrive_at_named_barrier(kLagBarrier, kConsumerThreads);
  }
  return before;
}

__device__ __forceinline__ void finish_products(Sums& sums, const Stage& last, int steps,
                                                const ClusterPlace& place) {
  if constexpr (IN_FLIGHT == 2 && !kPromotes) {
    wait_for_products<0>();
    if (steps > 0) release(last, place);
  }
  pin(sums);
}

// As add_products(), but each stage is summed up by itself and then added to `sums`.
__device__ __forceinline__ void add_promoted_products(Sums& sums, RingPlace& ring,
                                                      const Consumer& consumer, int steps) {
  Sums of_stage;
  for (int step = 0; step < steps; ++step) {
    wait_for_bytes(ring.stage.filled(), ring.parity);
    start_products(of_stage, ring.stage, consumer.factors, true);
    wait_for_products<0>();
    pin(of_stage);
    release(ring.stage, consumer.place);
    ring.advance();
#pragma unroll
    for (int band = 0; band < kBands; ++band)
#pragma unroll
      for (int i = 0; i < kColumns / 2; ++i) sums.value[band][i] += of_stage.value[band][i];
  }
}

// Adds up the consumer's part of a tile, but for what finish_products() finishes.
__device__ __forceinline__ Stage multiply(Sums& sums, RingPlace& ring, const Consumer& consumer,
                                          int steps) {
  if (kPromotes || (SPLIT_K > 1 && steps == 0)) {
#pragma unroll
    for (int band = 0; band < kBands; ++band)
#pragma unroll
      for (int i = 0; i < kColumns / 2; ++i) sums.value[band][i] = 0;
  }
  if constexpr (kPromotes) {
    add_promoted_products(sums, ring, consumer, steps);
    return {0};
  } else {
    return add_products(sums, ring, consumer, steps);
  }
}
