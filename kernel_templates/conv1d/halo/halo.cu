// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// 1-D filters over a batch of signals, any length ≥ 1, 1 to 4097 taps, odd or even, more
// taps than samples included:
//   output[i] = sum over t of filter[t] · signal[i + t − taps / 2]
// (taps in reverse order with flip = yes; ghost samples as boundary says). A block computes a
// tile of BLOCK · OUTPUTS outputs of one signal. It needs that many samples, taps / 2 before
// them (left halo) and (taps − 1) / 2 after (right halo), and keeps them in shared memory.
//
// BLOCK        threads                       4, 32 … 1024
// OUTPUTS      outputs a thread              1 … 16
// LOADING      threads: for each sample t of the tile, its thread loads it; if t is among the
//                last left-halo-many, also the sample one tile before; if among the first
//                right-halo-many, also the one a tile after. Legal for halos ≤ the tile.
//              cooperative: one loop of all threads over the haloed tile
//              cache: the tile without its halo; halo samples are read where they are needed,
//                through the cache
// ARRANGEMENT  strided: a thread's outputs lie BLOCK apart, neighbours' side by side
//              contiguous: they lie side by side, and a sample once read from shared memory
//                serves all of them. One unused slot after every 32 keeps banks apart.
// FILTER       shared: the taps are copied to shared memory first; global: read in place
// UNROLL       1, 4, 8: unrolling of the loop over the taps; over OUTPUTS taps at a time if
//              contiguous
// STATIC_TAPS  1: the number of taps is compiled in; 0: an argument
//
// Compiled in: PROBLEM_BOUNDARY, PROBLEM_FLIP, with STATIC_TAPS also PROBLEM_TAPS, and TYPE
// (filter_types.cuh).
// Shared memory: dynamic; a Sum for each sample kept, unused slot and tap copied, and for three
// slots more, because the compiler may read up to 16 bytes where the last element is asked for.
// Registers: OUTPUTS (contiguous: 3 · OUTPUTS) and about 24.
// Grid: x = ceil(length / (BLOCK · OUTPUTS)), y = batch.
// After: Kirk and Hwu, Programming Massively Parallel Processors, chapter 7 (tiled 1-D
// convolution with halo cells; general caching of halo cells).

#include "boundary.cuh"
#include "epilogue.cuh"
#include "filter_types.cuh"
#include "run.cuh"

constexpr int kTile = BLOCK * OUTPUTS;
constexpr int kUnroll = UNROLL;  // a pragma takes no macro
constexpr bool kContiguous = ARRANGEMENT == ARRANGEMENT_CONTIGUOUS && OUTPUTS > 1;
constexpr bool kHaloInTile = LOADING != LOADING_CACHE;

// One block's work.
struct Tile {
  const Element* signal;  // its first sample
  int length;
  int start;  // of the tile, in samples of the signal
  int left, right;
  Sum* samples;  // shared; slot 0 is sample start − left, with LOADING = cache sample start
};

// The place of a slot in shared memory.
__device__ __forceinline__ int place(int slot) {
  return kContiguous ? slot + static_cast<int>(static_cast<unsigned>(slot) / 32) : slot;
}

// A sample of the signal by index. Interior tiles and their halos lie wholly in the signal.
template <bool INTERIOR>
__device__ __forceinline__ Sum read_signal(const Tile& tile, int index) {
  return to<Sum>(INTERIOR ? tile.signal[index] : sample_or_ghost(tile.signal, index, tile.length));
}

template <bool INTERIOR>
__device__ __forceinline__ void load_samples(const Tile& tile) {
  if constexpr (LOADING == LOADING_COOPERATIVE) {
    const int first = tile.start - tile.left;
    int slot = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int i = 0; i < OUTPUTS; ++i, slot += BLOCK)
      tile.samples[place(slot)] = read_signal<INTERIOR>(tile, first + slot);
    for (; slot < kTile + tile.left + tile.right; slot += BLOCK)
      tile.samples[place(slot)] = read_signal<INTERIOR>(tile, first + slot);
    return;
  }
#pragma unroll
  for (int i = 0; i < OUTPUTS; ++i) {
    const int t = static_cast<int>(threadIdx.x) + i * BLOCK;
    const int left = kHaloInTile ? tile.left : 0;
    tile.samples[place(left + t)] = read_signal<INTERIOR>(tile, tile.start + t);
    if (LOADING == LOADING_CACHE) continue;
    if (t >= kTile - tile.left)
      tile.samples[place(t - (kTile - tile.left))] =
          read_signal<INTERIOR>(tile, tile.start - kTile + t);
    if (t < tile.right)
      tile.samples[place(tile.left + kTile + t)] =
          read_signal<INTERIOR>(tile, tile.start + kTile + t);
  }
}

// The sample that tap 0 of the tile's output 0 needs, and those after it: `offset` from there.
template <bool INTERIOR>
__device__ __forceinline__ Sum sample_at(const Tile& tile, int offset) {
  if (kHaloInTile) return tile.samples[place(offset)];
  const int slot = offset - tile.left;
  if (slot >= 0 && slot < kTile) return tile.samples[place(slot)];
  return read_signal<INTERIOR>(tile, tile.start + slot);
}

// The same at offset + j, for an offset that is a multiple of OUTPUTS and j < OUTPUTS: no unused
// slot lies between, so the place is worked out once.
template <bool INTERIOR>
__device__ __forceinline__ Sum sample_near(const Tile& tile, int offset, int j) {
  if (kHaloInTile) return tile.samples[place(offset) + j];
  return sample_at<INTERIOR>(tile, offset + j);
}

// The taps in the order of the samples that they multiply.
__device__ __forceinline__ int tap_index(int t, int taps) {
  return PROBLEM_FLIP == FLIP_YES ? taps - 1 - t : t;
}

using Tap = Choose<FILTER == FILTER_SHARED, Sum, Element>::Type;  // what a tap is read as

__device__ __forceinline__ Sum tap_at(const Tap* filter, int t, int taps) {
  return to<Sum>(FILTER == FILTER_SHARED ? filter[t] : filter[tap_index(t, taps)]);
}

// Output i of a thread is the tile's output threadIdx.x + i · BLOCK.
template <bool INTERIOR>
__device__ __forceinline__ void filter_strided(Sum (&sums)[OUTPUTS], const Tile& tile,
                                               const Tap* filter, int taps) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll kUnroll
  for (int t = 0; t < taps; ++t) {
    const Sum tap = tap_at(filter, t, taps);
#pragma unroll
    for (int i = 0; i < OUTPUTS; ++i)
      sums[i] += tap * sample_at<INTERIOR>(tile, thread + i * BLOCK + t);
  }
}

// Output i of a thread is the tile's output threadIdx.x · OUTPUTS + i. A window of 2 · OUTPUTS
// samples moves along the signal by OUTPUTS taps at a time.
template <bool INTERIOR>
__device__ __forceinline__ void filter_contiguous(Sum (&sums)[OUTPUTS], const Tile& tile,
                                                  const Tap* filter, int taps) {
  const int first = static_cast<int>(threadIdx.x) * OUTPUTS;
  Sum window[2 * OUTPUTS];
#pragma unroll
  for (int j = 0; j < OUTPUTS; ++j) window[j] = sample_near<INTERIOR>(tile, first, j);

  int t = 0;
#pragma unroll kUnroll
  for (; t + OUTPUTS < taps; t += OUTPUTS) {
#pragma unroll
    for (int j = 0; j < OUTPUTS; ++j)
      window[OUTPUTS + j] = sample_near<INTERIOR>(tile, first + t + OUTPUTS, j);
#pragma unroll
    for (int j = 0; j < OUTPUTS; ++j) {
      const Sum tap = tap_at(filter, t + j, taps);
#pragma unroll
      for (int i = 0; i < OUTPUTS; ++i) sums[i] += tap * window[j + i];
    }
#pragma unroll
    for (int j = 0; j < OUTPUTS; ++j) window[j] = window[OUTPUTS + j];
  }

  // The last 1 to OUTPUTS taps. No sample beyond the right halo is touched.
#pragma unroll
  for (int j = 0; j < OUTPUTS; ++j) {
    if (t + j >= taps) break;
    const Sum tap = tap_at(filter, t + j, taps);
#pragma unroll
    for (int i = 0; i < OUTPUTS; ++i) sums[i] += tap * window[j + i];
    if (t + j + 1 < taps) window[OUTPUTS + j] = sample_near<INTERIOR>(tile, first + t + OUTPUTS, j);
  }
}

template <bool INTERIOR>
__device__ __forceinline__ void filter_tile(Sum (&sums)[OUTPUTS], const Tile& tile,
                                            const Tap* filter, int taps) {
  load_samples<INTERIOR>(tile);
  __syncthreads();
  if (kContiguous)
    filter_contiguous<INTERIOR>(sums, tile, filter, taps);
  else
    filter_strided<INTERIOR>(sums, tile, filter, taps);
}

__device__ __forceinline__ void write_sums(Element* output, const Epilogue& epilogue,
                                           const Sum (&sums)[OUTPUTS], int start, int length) {
  const int thread = static_cast<int>(threadIdx.x);
  const int signal = static_cast<int>(blockIdx.y);
  const int signals = static_cast<int>(gridDim.y);
  constexpr int kRun = !kContiguous ? 1 : OUTPUTS < 4 ? OUTPUTS : 4;
  const Matrix<Element> target = {output, signals, length, length};
  const bool aligned = target.is_aligned<kRun>();
#pragma unroll
  for (int i = 0; i < OUTPUTS; i += kRun) {
    const int column = start + (kContiguous ? thread * OUTPUTS + i : thread + i * BLOCK);
    Run<kRun, Element> run;
#pragma unroll
    for (int j = 0; j < kRun; ++j)
      if (column + j < length)
        run.value[j] =
            to<Element>(epilogue(sums[i + j], signal, column + j, signal * length + column + j));
    store_run<kRun>(target, signal, column, aligned, run);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    conv1d_halo(const Element* __restrict__ signal, const Element* __restrict__ filter,
                Element* __restrict__ output, int length, int taps_argument EPILOGUE_PARAMETERS) {
  extern __shared__ __align__(16) Sum shared[];
#if STATIC_TAPS
  const int taps = PROBLEM_TAPS;
#else
  const int taps = taps_argument;
#endif
  const int start = static_cast<int>(blockIdx.x) * kTile;
  const int left = taps / 2;
  const int right = (taps - 1) / 2;
  const Tile tile = {
      signal + static_cast<int>(blockIdx.y) * length, length, start, left, right, shared};

#if FILTER == FILTER_SHARED
  const int slots = kHaloInTile ? kTile + taps - 1 : kTile;
  Sum* copy = shared + slots + (kContiguous ? slots / 32 : 0);
  for (int t = static_cast<int>(threadIdx.x); t < taps; t += BLOCK)
    copy[t] = to<Sum>(filter[tap_index(t, taps)]);
  const Tap* taps_in_order = copy;
#else
  const Tap* taps_in_order = filter;
#endif

  Sum sums[OUTPUTS] = {};
  if (start - left >= 0 && start + kTile + right <= length)
    filter_tile<true>(sums, tile, taps_in_order, taps);
  else
    filter_tile<false>(sums, tile, taps_in_order, taps);
  write_sums(output, Epilogue EPILOGUE_ARGUMENTS, sums, start, length);
}
