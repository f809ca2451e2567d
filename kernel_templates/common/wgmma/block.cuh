// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// A block of a kernel whose first warp group fills a ring by bulk copies, while the others multiply
// what is in it and store the results.

#include "products.cuh"
#include "split_sums.cuh"
#include "streamed_work.cuh"

// Registers of a thread, where BLOCK_COUNT blocks of 1 + CONSUMER_COUNT warp groups are on an SM:
// the block begins with the same for all, multiples of 8; then the loading group gives up what it
// does not need. One consumer on an SM of its own has enough as it is.
template <int CONSUMER_COUNT, int BLOCK_COUNT>
struct Registers {
  static constexpr int kAtStart =
      65536 / (BLOCK_COUNT * (1 + CONSUMER_COUNT) * kGroupThreads) / 8 * 8;
  static constexpr bool kMove = kAtStart < 255;
  static constexpr int kOfLoader = kAtStart < 128 ? 24 : CONSUMER_COUNT < 3 ? 40 : 32;
  static constexpr int kOfConsumer =
      (kAtStart * (1 + CONSUMER_COUNT) - kOfLoader) / CONSUMER_COUNT / 8 * 8;

  static __device__ __forceinline__ void give() {
    if constexpr (kMove) give_registers<kOfLoader>();
  }
  static __device__ __forceinline__ void take() {
    if constexpr (kMove) take_registers<kOfConsumer>();
  }
};

// Barriers of the ring, before anyone uses them. By all threads.
template <class PIPELINE>
__device__ __forceinline__ void prepare_ring(const TensorMap& a, const TensorMap& b) {
  if (threadIdx.x == 0) {
    prefetch_map(a);
    prefetch_map(b);
    PIPELINE::Ring::prepare(PIPELINE::kLoaders, Consumer<PIPELINE>::kReleases);
    publish_barriers();
  }
  if constexpr (PIPELINE::Place::kBlocks > 1)
    meet_cluster();
  else
    __syncthreads();
}

// The tiles that the block computes, and the part of K that it adds up of each.
template <class TILES, class PLACE>
struct Work {
  enum : bool { kStreamed = false };

  TILES tiles;
  Steps steps;
  PLACE place;

  __device__ __forceinline__ int count() const { return tiles.count(); }
  __device__ __forceinline__ Tile tile(int index) const { return tiles.at(index); }
  // By value: a reference changes the code of kernels that are measured.
  __device__ __forceinline__ Steps steps_of_tile(int) const { return steps; }
  __device__ __forceinline__ bool is_shared(int) const { return false; }
};

// By each thread of the first warp group that loads. LOADER fills the stages of a tile with
// load(tile, steps); drain() waits until all who had something of this block have left it.
template <class LOADER, class WORK>
__device__ __forceinline__ void load_all(LOADER loader, const WORK& work) {
  for (int t = work.tiles.first(); t < work.count(); t += work.tiles.stride())
    loader.load(work.tile(t), work.steps_of_tile(t));
  if constexpr (decltype(work.place)::kFillers > 1) loader.drain();
}
// By all threads of that group.
template <class PLACE>
__device__ __forceinline__ void end_loading() {
  __syncwarp();
  if constexpr (PLACE::kParts > 1) synchronise_cluster();
}

// A tile of which blocks have parts: the last of them stores all of it.
template <class PIPELINE, class RESULT, class WORK, class SUMS, class OUTPUT>
__device__ __forceinline__ void store_shared(const WORK& work, int t, const OUTPUT& output,
                                             const Tile& tile, const SUMS& sums,
                                             const Corner& first, Counter* workspace) {
  using Parts = PartialSums<typename PIPELINE::Sum, PIPELINE::kBands, PIPELINE::kColumns,
                            Consumer<PIPELINE>::kThreads>;
  const int blocks = static_cast<int>(gridDim.x);
  auto* const parts = parts_behind<typename PIPELINE::Sum>(workspace, blocks);
  if constexpr (WORK::kStreamed) {
    constexpr int kFreeBarrier = 2 + PIPELINE::kConsumers;  // products.cuh has those before it
    const Share share = work.share_of(t);
    Parts::template write_of_last<RESULT, 4, kFreeBarrier>(
        output, tile, sums, first, workspace + work.in_cluster(share.number), PIPELINE::flag(),
        share.part, share.parts, [&](int part) {
          return parts +
                 static_cast<long long>(work.in_cluster(share.first + part)) * Parts::kTileRuns;
        });
  } else {
    constexpr int kParts = PIPELINE::kParts;
    const int number = static_cast<int>(blockIdx.x);
    Parts::template write_of_last<RESULT, (kParts < 8 ? kParts : 8), 1>(
        output, tile, sums, first, workspace + number, reinterpret_cast<float*>(shared),
        work.place.part, kParts, [&](int part) {
          return parts + static_cast<long long>(number) * (kParts * Parts::kTileRuns) +
                 part * Parts::kTileRuns;
        });
  }
}

// By the other warp groups. PIPELINE also has kLoaders, the threads that load, kParts, the blocks
// that share K of each tile, flag() if work is streamed, four bytes of shared memory, and
// corner(number): what of a tile a consumer multiplies; RESULT has kBulk: whether results are
// stored as boxes. `output_of` makes the output of a matrix of the batch.
template <class PIPELINE, class RESULT, class WORK, class OUTPUT_OF>
__device__ __forceinline__ void multiply_and_store(const WORK& work, const TensorMap* map,
                                                   Counter* workspace, OUTPUT_OF&& output_of) {
  using Place = typename PIPELINE::Place;
  constexpr bool kPingPong = PIPELINE::kPingPong;
  const int number = PIPELINE::kConsumers == 1 ? 0 : warp_group_number() - 1;
  const Corner first = PIPELINE::corner(number);
  const Consumer<PIPELINE> consumer(first.left, first.right, work.place);
  const int stride = work.tiles.stride();
  typename PIPELINE::Ring::Place ring;
  int t = work.tiles.first();
  if (kPingPong && number == 1) {
    ring.skip(work.steps_of_tile(t).count);
    t += stride;
  }
  Boxes<RESULT> boxes(number);
  for (; t < work.count(); t += (kPingPong ? 2 : 1) * stride) {
    const Tile tile = work.tile(t);
    const int steps = work.steps_of_tile(t).count;
    if (kPingPong && t != work.tiles.first()) Turns<PIPELINE::kConsumers>::wait(number);
    typename Consumer<PIPELINE>::OwnSums sums;
    const auto last = consumer.template multiply<(PIPELINE::kParts > 1)>(sums, ring, steps);
    if (kPingPong && t + stride < work.count()) Turns<PIPELINE::kConsumers>::give(number);
    consumer.finish(sums, last, steps);
    if (kPingPong) ring.skip(steps);
    const auto output = output_of(tile.matrix);
    if constexpr (Place::kParts > 1) {
      using Parts = PartialSums<typename PIPELINE::Sum, PIPELINE::kBands, PIPELINE::kColumns,
                                Consumer<PIPELINE>::kThreads>;
      Parts::template write_of_cluster<RESULT>(output, tile, sums, first, work.place);
      continue;
    } else if constexpr (PIPELINE::kParts > 1 || WORK::kStreamed) {
      if (PIPELINE::kParts > 1 || work.is_shared(t)) {
        store_shared<PIPELINE, RESULT>(work, t, output, tile, sums, first, workspace);
        continue;
      }
    }
    if constexpr (RESULT::kBulk)
      boxes.store(output, tile, sums, first, [&](const unsigned char* box, int left, int right) {
        boxes.write_to(*map, tile, box, left, right);
      });
    else if constexpr (PIPELINE::kParts == 1)
      write_sums<RESULT>(output, tile, sums, first);
  }
  if constexpr (RESULT::kBulk) boxes.drain();
}
