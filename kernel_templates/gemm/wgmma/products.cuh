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

__device__ __forceinline__ void let_first_end(int left, int step, int steps) {
  if (kLag > 0 && steps >= STAGES && left > 0 && step == steps - kLag)
    wait_at_named_barrier(kLagBarrier, kConsumerThreads);
}
__device__ __forceinline__ void end_first(int left, int steps) {
  if (kLag > 0 && steps >= STAGES && left == 0)
    arrive_at_named_barrier(kLagBarrier, kConsumerThreads);
}

// Multiplies `steps` stages from `ring` on, which advances, and releases each when its products are
// in the sums. Returns the last one, which finish_products() releases if two are IN_FLIGHT.
__device__ __forceinline__ Stage add_products(Sums& sums, RingPlace& ring, int left, int steps,
                                              const ClusterPlace& place) {
  Stage before = {0};
  for (int step = 0; step < steps; ++step) {
    let_first_end(left, step, steps);
    wait_for_bytes(ring.stage.filled(), ring.parity);
    start_products(sums, ring.stage, left, step == 0);
    wait_for_products<IN_FLIGHT - 1>();
    if (IN_FLIGHT == 1)
      release(ring.stage, place);
    else if (step > 0)
      release(before, place);
    before = ring.stage;
    ring.advance();
  }
  end_first(left, steps);
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
__device__ __forceinline__ void add_promoted_products(Sums& sums, RingPlace& ring, int left,
                                                      int steps, const ClusterPlace& place) {
  Sums of_stage;
  for (int step = 0; step < steps; ++step) {
    wait_for_bytes(ring.stage.filled(), ring.parity);
    start_products(of_stage, ring.stage, left, true);
    wait_for_products<0>();
    pin(of_stage);
    release(ring.stage, place);
    ring.advance();
#pragma unroll
    for (int band = 0; band < kBands; ++band)
#pragma unroll
      for (int i = 0; i < kColumns / 2; ++i) sums.value[band][i] += of_stage.value[band][i];
  }
}

// Adds up a tile from left position `left` on, but for what finish_products() finishes.
__device__ __forceinline__ Stage multiply(Sums& sums, RingPlace& ring, int left, int steps,
                                          const ClusterPlace& place) {
  if (kPromotes || (SPLIT_K > 1 && steps == 0)) {
#pragma unroll
    for (int band = 0; band < kBands; ++band)
#pragma unroll
      for (int i = 0; i < kColumns / 2; ++i) sums.value[band][i] = 0;
  }
  if constexpr (kPromotes) {
    add_promoted_products(sums, ring, left, steps, place);
    return {0};
  } else {
    return add_products(sums, ring, left, steps, place);
  }
}
