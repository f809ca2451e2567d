// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// 1-D filters over a batch of signals, as conv1d/halo computes them, with as much as possible
// out of registers: a thread has OUTPUTS outputs side by side, and for STEP taps at a time the
// OUTPUTS + STEP − 1 samples that they meet. A block computes MARCH tiles of BLOCK · OUTPUTS
// outputs of one signal, one after the other.
//
// BLOCK    threads                                      64 … 512
// OUTPUTS  outputs a thread, side by side               4, 8, 16, 32
// STEP     taps whose code is written out, the others   8, 16, 32, 64
//          being a loop around it
// LOADING  cooperative: all threads copy a tile and its halo to shared memory
//          async: by copies that go on meanwhile (cp.async, sm_80 and later)
//          bulk: by copies that a warp asks for (sm_90 and later, float32 only), but at a
//          signal's ends
// VECTOR   elements of one access to global memory        1, 4; divides length; 4 with bulk
// MARCH    tiles of a block; the next is loaded while   1 …; more than 1 with async and bulk only
//          one is computed
// FILTER   value: the taps are a parameter by value and come as operands out of constant memory
//          shared: they are copied to shared memory
// STORING  direct: a thread writes its outputs; shared: through shared memory, so that neighbours
//          write side by side
//
// Compiled in: taps, boundary, flip, type (filter_types.cuh).
// Shared memory, dynamic: kTileElements for a tile, sums with LOADING = cooperative, twice that
// with MARCH > 1; the taps as sums if they are there. Where a thread has more than four outputs,
// one run of four is left out after every eight, so that threads read from different banks.
// Registers: 2 · OUTPUTS + STEP and about 24.
// Grid: x = marches of a signal, y = signals, each block taking every 65535th.
// After: Kirk and Hwu, Programming Massively Parallel Processors, chapters 6 (thread coarsening)
// and 7 (tiled convolution with halo cells).

#include "epilogue.cuh"
#include "loading.cuh"

#if LOADING == LOADING_BULK
#include "bulk_loading.cuh"
#endif

// Where a signal's outputs go, and through what.
struct Output {
  Element* samples;
  int length;
  int signal;
  Epilogue epilogue;

  __device__ __forceinline__ Element finished(Sum sum, int column) const {
    return to<Element>(column < length ? epilogue(sum, signal, column, signal * length + column)
                                       : sum);
  }
};

// Taps in the order of the samples that they multiply.
__device__ __forceinline__ int tap_index(int tap) {
  return PROBLEM_FLIP == FLIP_YES ? PROBLEM_TAPS - 1 - tap : tap;
}

#if FILTER == FILTER_VALUE
struct FilterArgument {
  Element values[PROBLEM_TAPS];
};

struct Taps {
  const FilterArgument& filter;

  __device__ __forceinline__ Run<4, Sum> read(int tap) const {
    Run<4, Sum> run;
#pragma unroll
    for (int v = 0; v < 4; ++v)
      if (tap + v < PROBLEM_TAPS) run.value[v] = to<Sum>(filter.values[tap_index(tap + v)]);
    return run;
  }
};

__device__ __forceinline__ Taps take_taps(const FilterArgument& filter, Sum* /*copy*/) {
  return {filter};
}
#else
using FilterArgument = const Element*;

struct Taps {
  const Sum* copy;

  __device__ __forceinline__ Run<4, Sum> read(int tap) const {
    return *reinterpret_cast<const Run<4, Sum>*>(copy + tap);
  }
};

// Ready after the next __syncthreads().
__device__ __forceinline__ Taps take_taps(FilterArgument filter, Sum* copy) {
  for (int tap = static_cast<int>(threadIdx.x); tap < PROBLEM_TAPS; tap += BLOCK)
    copy[tap] = to<Sum>(filter[tap_index(tap)]);
  return {copy};
}
#endif

// Adds the products of TAPS taps from `first` on, a multiple of four.
template <int TAPS>
__device__ __forceinline__ void add_taps(Sum (&sums)[OUTPUTS], const Kept* tile, const Taps& taps,
                                         int first) {
  constexpr int kWindow = round_up(kShift + OUTPUTS + TAPS - 1, 4);
  const int own = static_cast<int>(threadIdx.x) * OUTPUTS;
  // Steps of whole rows of banks only move the tile: the places stay the same all through the loop.
  constexpr bool kWholeRows = kSkewed && STEP % 32 == 0;
  const Kept* from = kWholeRows ? tile + first / 32 * 36 : tile;
  const int start = kWholeRows ? own : own + first;
  Sum window[kWindow];
#pragma unroll
  for (int i = 0; i < kWindow; i += 4) {
    const auto run = run_to<Sum>(*reinterpret_cast<const Run<4, Kept>*>(from + place(start + i)));
#pragma unroll
    for (int v = 0; v < 4; ++v) window[i + v] = run.value[v];
  }
#pragma unroll
  for (int tap = 0; tap < TAPS; tap += 4) {
    const Run<4, Sum> run = taps.read(first + tap);
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      if (tap + v >= TAPS) continue;
#pragma unroll
      for (int i = 0; i < OUTPUTS; ++i) sums[i] += run.value[v] * window[kShift + tap + v + i];
    }
  }
}

__device__ __forceinline__ void add_products(Sum (&sums)[OUTPUTS], const Kept* tile,
                                             const Taps& taps) {
  constexpr int kStep = smaller(STEP, PROBLEM_TAPS);
  constexpr int kLeftOver = PROBLEM_TAPS % kStep;
#pragma unroll 1
  for (int first = 0; first < PROBLEM_TAPS - kLeftOver; first += kStep)
    add_taps<kStep>(sums, tile, taps, first);
  if constexpr (kLeftOver > 0) add_taps<kLeftOver>(sums, tile, taps, PROBLEM_TAPS - kLeftOver);
}

// Four outputs from `index` on, as far as the signal goes.
__device__ __forceinline__ void write_run(const Output& output, int index,
                                          const Run<4, Element>& run) {
  if (VECTOR == 4 && index + 4 <= output.length) {
    *reinterpret_cast<Run<4, Element>*>(output.samples + index) = run;
    return;
  }
#pragma unroll
  for (int v = 0; v < 4; ++v)
    if (index + v < output.length) output.samples[index + v] = run.value[v];
}

// With STORING = shared the tile is no longer needed, and all threads come here.
__device__ __forceinline__ void write_tile(const Output& output, int start, Kept* samples,
                                           const Sum (&sums)[OUTPUTS]) {
  auto* const tile = reinterpret_cast<Element*>(samples);  // an Element is no larger than a Kept
  const int thread = static_cast<int>(threadIdx.x);
  if (STORING == STORING_SHARED) __syncthreads();
#pragma unroll
  for (int i = 0; i < OUTPUTS; i += 4) {
    const int index = thread * OUTPUTS + i;
    Run<4, Element> run;
#pragma unroll
    for (int v = 0; v < 4; ++v) run.value[v] = output.finished(sums[i + v], start + index + v);
    if (STORING == STORING_SHARED)
      *reinterpret_cast<Run<4, Element>*>(tile + place(index)) = run;
    else
      write_run(output, start + index, run);
  }
  if (STORING == STORING_DIRECT) return;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < OUTPUTS; i += 4) {
    const int index = i * BLOCK + thread * 4;
    write_run(output, start + index,
              *reinterpret_cast<const Run<4, Element>*>(tile + place(index)));
  }
}

template <class Loader>
__device__ __forceinline__ void filter_signal(const Signal& signal, const Output& output,
                                              const Taps& taps, Kept* shared, Loader& loader) {
  int start = static_cast<int>(blockIdx.x) * (kTile * MARCH);
  Kept* tile = shared;
  Kept* next = shared + (MARCH > 1 ? kTileElements : 0);
  loader.start(tile, signal, start);
  loader.finish();
#pragma unroll 1
  for (int step = 1;; ++step) {
    const bool goes_on = step < MARCH && start < signal.length - kTile;
    if (goes_on) loader.start(next, signal, start + kTile);
    Sum sums[OUTPUTS] = {};
    add_products(sums, tile, taps);
    write_tile(output, start, tile, sums);
    if (!goes_on) return;
    loader.finish();
    start += kTile;
    Kept* const done = tile;
    tile = next;
    next = done;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    conv1d_register(const Element* __restrict__ signal,
                    const __grid_constant__ FilterArgument filter, Element* __restrict__ output,
                    int length, int signals EPILOGUE_PARAMETERS) {
  extern __shared__ __align__(16) Kept shared[];
#if LOADING == LOADING_BULK
  __shared__ BulkBarrier barrier;
  BulkLoader loader(&barrier);
#else
  ThreadLoader loader;
#endif
  constexpr int kTilesBytes =
      round_up((MARCH > 1 ? 2 : 1) * kTileElements * static_cast<int>(sizeof(Kept)), 16);
  const Taps taps =
      take_taps(filter, reinterpret_cast<Sum*>(reinterpret_cast<char*>(shared) + kTilesBytes));
#pragma unroll 1
  for (int index = static_cast<int>(blockIdx.y); index < signals;
       index += static_cast<int>(gridDim.y)) {
    if (index >= static_cast<int>(gridDim.y)) loader.release();
    const Output target = {output + index * length, length, index, EPILOGUE_ARGUMENTS};
    filter_signal({signal + index * length, length}, target, taps, shared, loader);
  }
}
