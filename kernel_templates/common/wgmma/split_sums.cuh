// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Several blocks share a tile of the result, each with its part of K. A part's sums lie as [run of
// a thread][thread] of the threads that multiply, in the shared memory of the cluster's blocks or
// in the workspace, there as [tile][part] behind one counter a tile; counters take a multiple of
// 32. They are added in the order of the parts, so the answer is always the same.

#include "last_block.cuh"
#include "storing.cuh"

// Of one part: PARTS in all, of a tile that THREADS threads have the sums of.
template <class SUM, int BANDS, int COLUMNS, int PARTS, int THREADS>
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

  // Adds up a run of this thread, of which `part_of(p)` is what part p has, and stores it.
  template <class RESULT, class OUTPUT, class PART_OF>
  static __device__ __forceinline__ void write_whole_run(const OUTPUT& output, const Tile& tile,
                                                         const Corner& first, int run,
                                                         PART_OF&& part_of) {
    constexpr int kAtOnce = PARTS < 8 ? PARTS : 8;
    SUM sum[4] = {};
#pragma unroll 1
    for (int part = 0; part < PARTS; part += kAtOnce) {
      Run<4, SUM> parts[kAtOnce];
#pragma unroll
      for (int p = 0; p < kAtOnce; ++p)
        if (part + p < PARTS) parts[p] = part_of(part + p);
#pragma unroll
      for (int p = 0; p < kAtOnce; ++p)
        if (part + p < PARTS)
#pragma unroll
          for (int v = 0; v < 4; ++v) sum[v] += parts[p].value[v];
    }
#pragma unroll
    for (int half = 0; half < 2; ++half)
      write_pair<RESULT>(output, tile, pair_of<COLUMNS>(sum, first, run, half));
  }

  // The blocks of a cluster each add up and store their share of a tile's runs.
  template <class RESULT, class OUTPUT, class PLACE>
  static __device__ __forceinline__ void write_of_cluster(const OUTPUT& output, const Tile& tile,
                                                          const Own& sums, const Corner& first,
                                                          const PLACE& place_of_block) {
    auto* const own = reinterpret_cast<Run<4, SUM>*>(shared);
    wait_at_named_barrier(1, THREADS);  // all have read the ring
    write_part(own, sums);
    synchronise_cluster();
#pragma unroll 2
    for (int run = place_of_block.part; run < kRuns; run += PARTS)
      write_whole_run<RESULT>(output, tile, first, run, [&](int part) {
        const PLACE other = {place_of_block.m, place_of_block.n, part};
        return read_of_block(own + place(run), other.rank_of(other.m, other.n));
      });
  }

  // The last of a tile's blocks adds up and stores all of it. Tiles are along x of the grid.
  template <class RESULT, class OUTPUT>
  static __device__ __forceinline__ void write_of_last(const OUTPUT& output, const Tile& tile,
                                                       const Own& sums, const Corner& first,
                                                       int part, Counter* workspace) {
    const int number = static_cast<int>(blockIdx.x);
    const int tiles = static_cast<int>(gridDim.x);
    Run<4, SUM>* const parts = reinterpret_cast<Run<4, SUM>*>(workspace + (tiles + 31) / 32 * 32) +
                               static_cast<long long>(number) * (PARTS * kTileRuns);
    write_part(parts + part * kTileRuns, sums);
    if (!is_last_group(workspace + number, PARTS, reinterpret_cast<float*>(shared),
                       threadIdx.x == kGroupThreads, [] { wait_at_named_barrier(1, THREADS); }))
      return;
#pragma unroll 2
    for (int run = 0; run < kRuns; ++run)
      write_whole_run<RESULT>(output, tile, first, run, [&](int of_part) {
        return read_past_l1(parts + of_part * kTileRuns + place(run));
      });
  }
};
