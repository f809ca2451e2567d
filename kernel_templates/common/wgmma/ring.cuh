// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// A ring of stages in the block's dynamic shared memory. Bulk copies fill a stage, warp groups
// multiply what is in it, and then it is empty again.

#include "bulk_copy.cuh"

extern __shared__ __align__(1024) unsigned char shared[];

// STAGE_COUNT stages of STAGE_BYTES each, from byte FIRST_AT of the shared memory on. From byte
// BARRIERS_AT on, each has a barrier for the bytes that fill it, and then each has one for those
// who have left it.
template <int STAGE_COUNT, int STAGE_BYTES, int BARRIERS_AT, int FIRST_AT = 0>
struct Ring {
  static constexpr int kStages = STAGE_COUNT;
  static constexpr int kStageBytes = STAGE_BYTES;

  struct Stage {
    int number;

    __device__ __forceinline__ unsigned char* memory() const {
      return shared + FIRST_AT + number * STAGE_BYTES;
    }
    __device__ __forceinline__ BulkBarrier* filled() const {
      return reinterpret_cast<BulkBarrier*>(shared + BARRIERS_AT) + number;
    }
    __device__ __forceinline__ BulkBarrier* emptied() const { return filled() + STAGE_COUNT; }
  };

  // A place in the ring. All who walk along it start at the same stage; the parity changes with
  // each lap.
  struct Place {
    Stage stage = {0};
    unsigned parity = 0;

    __device__ __forceinline__ void advance() {
      if (++stage.number == STAGE_COUNT) {
        stage.number = 0;
        parity ^= 1;
      }
    }
    // By `steps` at once.
    __device__ __forceinline__ void skip(int steps) {
      const int number = stage.number + steps % STAGE_COUNT;
      parity ^= static_cast<unsigned>(steps / STAGE_COUNT + number / STAGE_COUNT) & 1;
      stage.number = number % STAGE_COUNT;
    }
    // By the thread that fills the ring: until all stages are empty, so that nobody arrives here
    // any more.
    __device__ __forceinline__ void drain() {
#pragma unroll 1
      for (int i = 0; i < STAGE_COUNT; ++i) {
        wait_for_phase(stage.emptied(), parity ^ 1);
        advance();
      }
    }
  };

  // By one thread, before publish_barriers(). A stage is filled when that many threads have
  // announced their bytes and these have come, and empty after that many releases.
  static __device__ __forceinline__ void prepare(unsigned loaders, unsigned releases) {
#pragma unroll
    for (int stage = 0; stage < STAGE_COUNT; ++stage) {
      init_barrier(Stage{stage}.filled(), loaders);
      init_barrier(Stage{stage}.emptied(), releases);
    }
  }
};
