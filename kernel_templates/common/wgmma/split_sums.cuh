// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Several blocks share a tile of the result, each with its part of K. A part's sums lie as [run of
// a thread][thread] of the threads that multiply, in the shared memory of the cluster's blocks or
// in the workspace, there behind one counter a tile; counters take a multiple of 32. They are added
// in the order of the parts, so the answer is always the same.

#include "last_block.cuh"
#include "storing.cuh"

// The parts behind `tiles` counters.
template <class SUM>
__device__ __forceinline__ Run<4, SUM>* parts_behind(Counter* workspace, int tiles) {
  return reinterpret_cast<Run<4, SUM>*>(workspace + (tiles + 31) / 32 * 32);
}

// Of one part of a tile that THREADS threads have the sums of.
template <class SUM, int BANDS, int COLUMNS, int THREADS>
struct PartialSums {
  using Own = Sums<SUM, BANDS, COLUMNS>;
  static constexpr int kRunsOfBand = COLUMNS / 8;
  static constexpr int kRuns = BANDS * kRunsOfBand;  // of a thread
  static constexpr int kTileRuns = kRuns * THREADS;

  // Where run `run` of this thread is in a part.
  static __device__ __forceinline__ int place(int run) {
    return run * THREADS + static_cast<int>(threadIdx.x) - kGroupThreads;
  }

  static __device__ __forceinline__ void write_part(Run<4, SUM>* part, const Own& sums) {
#pragma unroll
    for (int run = 0; run < kRuns; ++run)
      part[place(run)] = *reinterpret_cast<const Run<4, SUM>*>(
          &sums.value[run / kRunsOfBand][run % kRunsOfBand * 4]);
  }

  // Adds up a run of this thread, of which `part_of(p)` is what part p of `parts_of_tile` has, and
  // stores it. AT_ONCE parts are read at a time.
  template <class RESULT, int AT_ONCE, class OUTPUT, class PART_OF>
  static __device__ __forceinline__ void write_whole_run(const OUTPUT& output, const Tile& tile,
                                                         const Corner& first, int run,
                                                         int parts_of_tile, PART_OF&& part_of) {
    SUM sum[4] = {};
#pragma unroll 1
    for (int part = 0; part < parts_of_tile; part += AT_ONCE) {
      Run<4, SUM> parts[AT_ONCE];
#pragma unroll
      for (int p = 0; p < AT_ONCE; ++p)
        if (part + p < parts_of_tile) parts[p] = part_of(part + p);
#pragma unroll
      for (int p = 0; p < AT_ONCE; ++p)
        if (part + p < parts_of_tile)
#pragma unroll
          for (int v = 0; v < 4; ++v) sum[v] += parts[p].value[v];
    }
#pragma unroll
    for (int half = 0; half < 2; ++half)
      write_pair<RESULT>(output, tile, pair_of<COLUMNS>(sum, first, run, half));
  }

  // The blocks of a cluster, one for each part, each add up and store their share of a tile's runs.
  template <class RESULT, class OUTPUT, class PLACE>
  static __device__ __forceinline__ void write_of_cluster(const OUTPUT& output, const Tile& tile,
                                                          const Own& sums, const Corner& first,
                                                          const PLACE& place_of_block) {
    auto* const own = reinterpret_cast<Run<4, SUM>*>(shared);
    wait_at_named_barrier(1, THREADS);  // all have read the ring
    write_part(own, sums);
    synchronise_cluster();
#pragma unroll 2
    for (int run = place_of_block.part; run < kRuns; run += PLACE::kParts)
      write_whole_run<RESULT, PLACE::kParts>(
          output, tile, first, run, PLACE::kParts, [&](int part) {
            const PLACE other = {place_of_block.m, place_of_block.n, part};
            return read_of_block(own + place(run), other.rank_of(other.m, other.n));
          });
  }

  // The last of a tile's blocks adds up and stores all of it. `own` is the part of this one, and
  // `part_at(p)` where part p is, of so many `parts`; AT_ONCE of them are read at a time. BARRIER
  // is a named barrier that all threads are free to use, `flag` is shared memory of that kind.
  template <class RESULT, int AT_ONCE, int BARRIER, class OUTPUT, class PART_AT>
  static __device__ __forceinline__ void write_of_last(const OUTPUT& output, const Tile& tile,
                                                       const Own& sums, const Corner& first,
                                                       Counter* counter, float* flag, int own,
                                                       int parts, PART_AT&& part_at) {
    write_part(part_at(own), sums);
    if (!is_last_group(counter, parts, flag, threadIdx.x == kGroupThreads,
                       [] { wait_at_named_barrier(BARRIER, THREADS); }))
      return;
#pragma unroll 2
    for (int run = 0; run < kRuns; ++run)
      write_whole_run<RESULT, AT_ONCE>(output, tile, first, run, parts, [&](int part) {
        return read_past_l1(part_at(part) + place(run));
      });
  }
};
