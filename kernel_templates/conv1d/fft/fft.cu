// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Filters of signals by Fourier transforms of tiles (overlap-save), for filters of about 70 taps
// on: any length, boundary and batch, signals shorter than a tile included. A block loads tiles
// with their halos, transforms them, multiplies them by the filter's spectrum, transforms them
// back, and writes the outputs that did not wrap around. So it reads and writes global memory as a
// direct filter does, and its time hardly depends on the number of taps. tile.cuh has the
// transform.
//
// The error of an output is relative to the largest samples of its tile, not to the output's own
// taps, and one sample that is infinite or no number spoils all outputs of the tiles that read it.
//
// TILE       samples of a tile with its halo: 512 to 16384, powers of two; below 8192 a block has
//            several
// MULTIPLE   1, or 32: the outputs of a tile are a multiple of 32, and tiles begin at multiples of
//            8 samples
// REGISTERS  what a thread may have: many, or so few that more blocks fit on an SM
//
// Compiled in: taps, boundary, flip, type; complex values of a thread (values), the outputs of a
// tile and what it begins before them (step, shift). Launches: the prepared filter, which is the
// twiddles and the filter's spectrum, as the transform of a tile; the tiles. From compute capability
// 9.0 on, tiles are loaded while the first launch ends, if it is part of the call. Shared memory:
// 17/16 of the block's tiles, dynamic. Registers: 2 · values sums, and with few 16 to 32 besides,
// with many 48 to 64; more if fewer blocks fit anyway.
// Grid: x = blocks of tiles, y and z = signals.
// After: Stockham, High-speed convolution and correlation, 1966 (overlap-save by FFT).

#include "boundary.cuh"
#include "dependent_launch.cuh"
#include "epilogue.cuh"
#include "tile.cuh"

// Sample of its tile of a thread's value `at`, beside the thread's number; and which tile.
__host__ __device__ constexpr int sample_of(int at) {
  return at % (1 << kHigh) * kThreads;
}
__host__ __device__ constexpr int tile_of(int at) {
  return at >> kHigh;
}

// The filter as a tile, from the sample on where the outputs' own begin. Other tiles are zero.
__device__ __forceinline__ void load_filter(Value (&values)[kValues], const Element* filter,
                                            const Seat& seat) {
  const auto tap = [&](int sample) {
    const int at = sample - TERM_SHIFT;
    if (at < 0 || at >= PROBLEM_TAPS) return Sum{0};
    return widened(filter[PROBLEM_FLIP == FLIP_YES ? PROBLEM_TAPS - 1 - at : at]);
  };
#pragma unroll
  for (int i = 0; i < kValues; ++i) {
    const int sample = sample_of(i) + seat.thread;
    if (tile_of(i) == 0)
      values[i] = {tap(sample), tap(sample + kHalf)};
    else
      values[i] = {};
  }
}

// The spectrum of one tile is that of all: those of the other tiles of the block are not kept.
struct KeptOfFirst {
  Kept kept;
  bool is_first;

  __device__ __forceinline__ void operator()(Value (&values)[16], Value* own, int place) const {
    if (is_first) kept(values, own, place);
  }
};

extern "C" __global__ void conv1d_fft_spectrum(const Element* __restrict__ filter, Sum* prepared) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto* const tile = reinterpret_cast<Value*>(shared);
  auto* const twiddles = reinterpret_cast<Value*>(prepared);
  allow_launch_behind();
  const Seat seat;
  for (int i = seat.thread; i < kTwiddles; i += kThreads) twiddles[i] = twiddle(i);
  Value values[kValues];
  load_filter(values, filter, seat);
  transform_high(values, tile, seat);
  __syncthreads();
  const bool is_first = (seat.lane / 16 + seat.warp * 2) * kTurns < 1 << kHigh;
  transform_inner(
      tile, seat, twiddles,
      KeptOfFirst{{reinterpret_cast<PairOfValues*>(twiddles + kTwiddleRoom)}, is_first});
}

__device__ __forceinline__ void load(Value (&values)[kValues], const Element* signal, int length,
                                     int first, const Seat& seat) {
  const int start = first - PROBLEM_TAPS / 2 - TERM_SHIFT;
  if (start >= 0 && start + (kTiles - 1) * TERM_STEP + TILE <= length) {
    const Element* const own = signal + start + seat.thread;
#pragma unroll
    for (int i = 0; i < kValues; ++i) {
      const Element* const from = own + tile_of(i) * TERM_STEP + sample_of(i);
      values[i] = {widened(from[0]), widened(from[kHalf])};
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kValues; ++i) {
    const int own = start + tile_of(i) * TERM_STEP + sample_of(i) + seat.thread;
    values[i] = {widened(sample_or_ghost(signal, own, length)),
                 widened(sample_or_ghost(signal, own + kHalf, length))};
  }
}

struct Output {
  Element* samples;
  int length, row;
  Epilogue epilogue;

  __device__ __forceinline__ void write(int column, Sum sum) const {
    if (column < length)
      samples[column] = to<Element>(epilogue(sum, row, column, row * length + column));
  }
};

__device__ __forceinline__ void store(const Value (&values)[kValues], const Output& output,
                                      int first, const Seat& seat) {
  repeat<kValues>([&](auto at) {
    constexpr int kAt = kOf<decltype(at)>;
    const int sample = sample_of(kAt) + seat.thread;
    const int column = first + tile_of(kAt) * TERM_STEP + sample;
    if constexpr (sample_of(kAt) < TERM_STEP)
      if (sample < TERM_STEP) output.write(column, values[kAt].re);
    if constexpr (sample_of(kAt) + kHalf < TERM_STEP)
      if (sample + kHalf < TERM_STEP) output.write(column + kHalf, values[kAt].im);
  });
}

extern "C" __global__ void conv1d_fft(const Element* __restrict__ signals, const Sum* prepared,
                                      Element* __restrict__ outputs, int length,
                                      int batch EPILOGUE_PARAMETERS) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto* const tile = reinterpret_cast<Value*>(shared);
  const auto* const twiddles = reinterpret_cast<const Value*>(prepared);
  const auto* const spectrum = reinterpret_cast<const PairOfValues*>(twiddles + kTwiddleRoom);
  // Without a loop over the signals, around which the compiler would keep twiddles in registers.
  const int row = static_cast<int>(blockIdx.y + blockIdx.z * gridDim.y);
  if (row < 0 || row >= batch) return;  // it may be 2³¹ or more
  const Seat seat;
  const int first = static_cast<int>(blockIdx.x) * (kTiles * TERM_STEP);
  {
    Value values[kValues];
    load(values, signals + row * length, length, first, seat);
    transform_high(values, tile, seat);
  }
  wait_for_launch_ahead();
  __syncthreads();
  transform_inner(tile, seat, twiddles, Multiplied{spectrum});
  inverse_inner(tile, seat, twiddles);
  __syncthreads();
  Value values[kValues];
  inverse_high(values, tile, seat, twiddles);
  store(values, {outputs + row * length, length, row, EPILOGUE_ARGUMENTS}, first, seat);
}
