// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// A block of a kernel whose first warp group fills a ring by bulk copies, while the others multiply
// what is in it and store the results.

#include "products.cuh"
#include "split_sums.cuh"

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

// The tiles that the block computes, and the part of K that it adds up.
template <class TILES, class PLACE>
struct Work {
  TILES tiles;
  Steps steps;
  PLACE place;
};

// By each thread of the first warp group that loads. LOADER fills the stages of a tile with
// load(tile, steps); drain() waits until all who had something of this block have left it.
template <class LOADER, class TILES, class PLACE>
__device__ __forceinline__ void load_all(LOADER loader, const Work<TILES, PLACE>& work) {
  for (int t = work.tiles.first(); t < work.tiles.count(); t += work.tiles.stride())
    loader.load(work.tiles.at(t), work.steps);
  if constexpr (PLACE::kFillers > 1) loader.drain();
}
// By all threads of that group.
template <class PLACE>
__device__ __forceinline__ void end_loading() {
  __syncwarp();
  if constexpr (PLACE::kParts > 1) synchronise_cluster();
}

// By the other warp groups. PIPELINE also has kLoaders, the threads that load, kParts, the blocks
// that share K, and corner(number): what of a tile a consumer multiplies; RESULT has kBulk: whether
// results are stored as boxes. `output_of` makes the output of a matrix of the batch.
template <class PIPELINE, class RESULT, class TILES, class OUTPUT_OF>
__device__ __forceinline__ void multiply_and_store(
    const Work<TILES, typename PIPELINE::Place>& work, const TensorMap* map, Counter* workspace,
    OUTPUT_OF&& output_of) {
  using Place = typename PIPELINE::Place;
  constexpr bool kPingPong = PIPELINE::kPingPong;
  const int number = PIPELINE::kConsumers == 1 ? 0 : warp_group_number() - 1;
  const Corner first = PIPELINE::corner(number);
  const Consumer<PIPELINE> consumer(first.left, first.right, work.place);
  const int stride = work.tiles.stride();
  typename PIPELINE::Ring::Place ring;
  int t = work.tiles.first();
  if (kPingPong && number == 1) {
    ring.skip(work.steps.count);
    t += stride;
  }
  Boxes<RESULT> boxes(number);
  for (; t < work.tiles.count(); t += (kPingPong ? 2 : 1) * stride) {
    const Tile tile = work.tiles.at(t);
    if (kPingPong && t != work.tiles.first()) Turns<PIPELINE::kConsumers>::wait(number);
    typename Consumer<PIPELINE>::OwnSums sums;
    const auto last =
        consumer.template multiply<(PIPELINE::kParts > 1)>(sums, ring, work.steps.count);
    if (kPingPong && t + stride < work.tiles.count()) Turns<PIPELINE::kConsumers>::give(number);
    consumer.finish(sums, last, work.steps.count);
    if (kPingPong) ring.skip(work.steps.count);
    const auto output = output_of(tile.matrix);
    using Parts = PartialSums<typename PIPELINE::Sum, PIPELINE::kBands, PIPELINE::kColumns,
                              PIPELINE::kParts, Consumer<PIPELINE>::kThreads>;
    if constexpr (Place::kParts > 1)
      Parts::template write_of_cluster<RESULT>(output, tile, sums, first, work.place);
    else if constexpr (PIPELINE::kParts > 1)
      Parts::template write_of_last<RESULT>(output, tile, sums, first, work.place.part, workspace);
    else if constexpr (RESULT::kBulk)
      boxes.store(output, tile, sums, first, [&](const unsigned char* box, int left, int right) {
        boxes.write_to(*map, tile, box, left, right);
      });
    else
      write_sums<RESULT>(output, tile, sums, first);
  }
  if constexpr (RESULT::kBulk) boxes.drain();
}
