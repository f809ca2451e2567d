// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// 2-D filters over planes of images by Fourier transforms of tiles (overlap-save), for filters of
// about 9 × 9 taps on: any width, height, pitch, anchor and boundary, images smaller than a tile
// included. A block loads a tile with its halo, transforms it, multiplies it by the filter's
// spectrum, transforms it back, and writes the outputs that did not wrap around, all in registers
// and shared memory. So it reads and writes global memory as a direct filter does, and its time
// hardly depends on the number of taps. tile.cuh has the transform.
//
// The error of an output is relative to the largest samples of its tile, not to the output's own
// taps, and one sample that is infinite or no number spoils all outputs of the tiles that read it.
//
// TILE_ROWS, TILE_COLUMNS  samples of a tile with its halo: 64, 128, 256 each, at most 32768 in all
// MULTIPLE   1, or 8: the outputs of a tile along a row are a multiple of 8, and its rows begin at
//            multiples of 8 samples
// REGISTERS  what a thread may have: many, or so few that more blocks fit on an SM
//
// Compiled in: the filter's size, anchor, boundary, flip, filters, type; complex values of a thread
// (values), the outputs of a tile and what it begins before them (step_rows, step_columns, shift).
// Launches: the prepared filter, which is the twiddles and the spectrum of each filter, as the
// transform of a tile by a block; the tiles. From compute capability 9.0 on, tiles are loaded while
// the first launch ends, if it is part of the call. Shared memory: 17/16 of a tile, dynamic;
// twiddles behind it in the first launch. Registers: 2 · values sums, and with few 16 to 32
// besides, with many 48 to 64; more if fewer blocks fit anyway. Grid: x = tiles, y and z = planes.
// After: Stockham, High-speed convolution and correlation, 1966 (overlap-save by FFT); Lavin and
// Gray, Fast algorithms for convolutional neural networks, 2016 (tiles as small as shared memory).

#include "boundary.cuh"
#include "dependent_launch.cuh"
#include "image_output.cuh"
#include "tile.cuh"

// The filter as a tile, from the column on where the outputs' own samples begin.
__device__ __forceinline__ void load_filter(Value (&values)[kValues], const Element* filter,
                                            const Seat& seat) {
  constexpr int kTaps = PROBLEM_FILTER_HEIGHT * PROBLEM_FILTER_WIDTH;
  const int column = seat.column - TERM_SHIFT;
  const auto tap = [&](int row) {
    const int at = row * PROBLEM_FILTER_WIDTH + column;
    if (row >= PROBLEM_FILTER_HEIGHT || column < 0 || column >= PROBLEM_FILTER_WIDTH) return Sum{0};
    return widened(filter[PROBLEM_FLIP == FLIP_YES ? kTaps - 1 - at : at]);
  };
#pragma unroll
  for (int i = 0; i < kValues; ++i)
    values[i] = {tap(seat.row + row_of(i)), tap(seat.row + row_of(i) + kRows)};
}

extern "C" __global__ void conv2d_fft_spectrum(const Element* __restrict__ filters,
                                               Sum* prepared) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto* const tile = reinterpret_cast<Value*>(shared);
  auto* const twiddles = reinterpret_cast<Value*>(prepared);
  allow_launch_behind();
  const int filter = static_cast<int>(blockIdx.x);
  const Seat seat(0);
  Value* const own = tile + kTileValues;  // the first block's are for the tiles, too
  for (int i = seat.thread; i < kTwiddles; i += kThreads) {
    own[i] = twiddle(i);
    if (filter == 0) twiddles[i] = own[i];
  }
  Value values[kValues];
  load_filter(values, filters + filter * (PROBLEM_FILTER_HEIGHT * PROBLEM_FILTER_WIDTH), seat);
  transform_rows(values, tile, seat);
  __syncthreads();
  auto* const spectrum = reinterpret_cast<PairOfValues*>(twiddles + kTwiddleRoom);
  transform_inner(tile, seat, own, Kept{spectrum + filter * (kRows * kColumns / 2) + seat.thread});
}

// A tile's place in its plane.
struct Place {
  int row, column;  // of its first output

  __device__ __forceinline__ explicit Place(int width) {
    const int across = (width + TERM_STEP_COLUMNS - 1) / TERM_STEP_COLUMNS;
    const int index = static_cast<int>(blockIdx.x);
    row = index / across * TERM_STEP_ROWS;
    column = index % across * TERM_STEP_COLUMNS;
  }
};

__device__ __forceinline__ void load(Value (&values)[kValues], const Element* plane, int width,
                                     int height, int pitch, const Place& place, const Seat& seat) {
  const int row = place.row - PROBLEM_ANCHOR_Y;
  const int column = place.column - PROBLEM_ANCHOR_X - TERM_SHIFT;
  if (row >= 0 && column >= 0 && row + TILE_ROWS <= height && column + TILE_COLUMNS <= width) {
    const Element* const own = plane + (row + seat.row) * pitch + column + seat.column;
#pragma unroll
    for (int i = 0; i < kValues; ++i)
      values[i] = {widened(own[row_of(i) * pitch]), widened(own[(row_of(i) + kRows) * pitch])};
    return;
  }
  const int x = source_index(column + seat.column, width);
  const auto sample = [&](int y) {
    const int from = source_index(row + seat.row + y, height);
    return x < 0 || from < 0 ? Sum{0} : widened(plane[from * pitch + x]);
  };
#pragma unroll
  for (int i = 0; i < kValues; ++i) values[i] = {sample(row_of(i)), sample(row_of(i) + kRows)};
}

__device__ __forceinline__ void store(const Value (&values)[kValues], const Output& output,
                                      const Place& place, const Seat& seat) {
  const int column = place.column + seat.column;
  if (seat.column >= TERM_STEP_COLUMNS || column >= output.plane.width) return;
  const int rows = smaller(TERM_STEP_ROWS, output.plane.height - place.row) - seat.row;
  if (rows <= 0) return;
  Element* const own = output.plane.samples + (place.row + seat.row) * output.plane.pitch + column;
  repeat<kValues>([&](auto at) {
    constexpr int kRow = row_of(kOf<decltype(at)>);
    const Value value = values[kOf<decltype(at)>];
    const int row = place.row + seat.row + kRow;
    if constexpr (kRow < TERM_STEP_ROWS)
      if (kRow < rows) own[kRow * output.plane.pitch] = output(value.re, row, column);
    if constexpr (kRow + kRows < TERM_STEP_ROWS)
      if (kRow + kRows < rows)
        own[(kRow + kRows) * output.plane.pitch] = output(value.im, row + kRows, column);
  });
}

extern "C" __global__ void conv2d_fft(const Element* __restrict__ image, const Sum* prepared,
                                      Element* __restrict__ output, int width, int height,
                                      int pitch, int channels, int planes EPILOGUE_PARAMETERS) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto* const tile = reinterpret_cast<Value*>(shared);
  const auto* const twiddles = reinterpret_cast<const Value*>(prepared);
  const auto* const spectrum = reinterpret_cast<const PairOfValues*>(twiddles + kTwiddleRoom);
  // Without a loop over the planes, of which the compiler would keep each row's offset in
  // registers.
  const int index = static_cast<int>(blockIdx.y + blockIdx.z * gridDim.y);
  if (index < 0 || index >= planes) return;  // it may be 2³¹ or more
  const Place place(width);
  const Seat seat(static_cast<int>(blockIdx.x));
  const int first = index * (height * pitch);
  {
    Value values[kValues];
    load(values, image + first, width, height, pitch, place, seat);
    transform_rows(values, tile, seat);
  }
  wait_for_launch_ahead();
  __syncthreads();
  const int own = PROBLEM_FILTERS == FILTERS_PER_CHANNEL ? index % channels : 0;
  transform_inner(tile, seat, twiddles,
                  Multiplied{spectrum + own * (kRows * kColumns / 2) + seat.thread});
  inverse_inner(tile, seat, twiddles);
  __syncthreads();
  if (seat.column - seat.lane >= TERM_STEP_COLUMNS) return;  // a warp that nobody needs
  Value values[kValues];
  inverse_rows(values, tile, seat);
  store(values,
        {{output + first, width, height, pitch},
         index % channels,
         index / channels,
         first,
         EPILOGUE_ARGUMENTS},
        place, seat);
}
