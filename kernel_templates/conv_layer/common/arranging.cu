// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// With layout=nchw, tensor cores work on copies whose channels lie side by side: an image and a
// filter are transposed before, and the output after. Each is `count` matrices of rows by columns,
// one behind the other, and becomes as many of columns by rows.
//
// TYPE, TYPE_OUT      of image and filter, and of the output
//
// Shared memory: 64 · 65 elements of 4 or 8 bytes, or 64 · 66 of 2. Grid: x = tiles of 64 by 64.

#include "run.cuh"
#include "types.cuh"

constexpr int kTile = 64;
constexpr int kThreads = 256;

// A word more than a row has, so that the elements of a column are in different banks.
template <class T>
using Tile = T[kTile][kTile + (sizeof(T) < 4 ? 4 / sizeof(T) : 1)];

// What of a matrix there is from a tile on.
struct MatrixPart {
  int rows;
  int columns;
  int pitch;  // of the matrix that is read, or of the one that is written
};

// Threads move runs of N neighbours in memory, of which the pitch is a multiple.
template <int N, class T>
__device__ __forceinline__ void read_tile(Tile<T>& tile, const T* from, const MatrixPart& part) {
  constexpr int kRuns = kTile / N;  // of a row
#pragma unroll
  for (int i = static_cast<int>(threadIdx.x); i < kTile * kRuns; i += kThreads) {
    const int row = i / kRuns;
    const int column = i % kRuns * N;
    if (row >= part.rows || column >= part.columns) continue;
    const Run<N, T> run = *reinterpret_cast<const Run<N, T>*>(from + row * part.pitch + column);
    constexpr int kWords = N * static_cast<int>(sizeof(T)) / 4;
    if constexpr (kWords > 0) {
#pragma unroll
      for (int word = 0; word < kWords; ++word)
        reinterpret_cast<unsigned*>(&tile[row][column])[word] =
            reinterpret_cast<const unsigned*>(&run)[word];
    } else {
      tile[row][column] = run.value[0];
    }
  }
}

// Writes the columns of the tile as rows. Of a warp, kAlong lanes are side by side along such a
// row.
template <int N, class T>
__device__ __forceinline__ void write_tile(const Tile<T>& tile, T* to, const MatrixPart& part) {
  constexpr int kRuns = kTile / N;
  constexpr int kAlong = N == 1 ? 32 : 4;
  constexpr int kAcross = 32 / kAlong;
#pragma unroll
  for (int i = static_cast<int>(threadIdx.x); i < kTile * kRuns; i += kThreads) {
    const int group = i / 32;
    const int row = (group % (kRuns / kAlong) * kAlong + i % kAlong) * N;
    const int column = group / (kRuns / kAlong) * kAcross + i % 32 / kAlong;
    if (row >= part.rows || column >= part.columns) continue;
    Run<N, T> run;
#pragma unroll
    for (int k = 0; k < N; ++k) run.value[k] = tile[row + k][column];
    *reinterpret_cast<Run<N, T>*>(to + column * part.pitch + row) = run;
  }
}

// By runs of 16 or 8 bytes if the length of a row allows it.
template <class T, class MOVE>
__device__ __forceinline__ void by_runs(int length, MOVE&& move) {
  constexpr int kMost = 16 / static_cast<int>(sizeof(T));
  if (length % kMost == 0)
    move(Run<kMost, T>());
  else if (kMost > 2 && length % (kMost / 2) == 0)
    move(Run<(kMost > 2 ? kMost / 2 : 1), T>());
  else
    move(Run<1, T>());
}

template <class T>
__device__ __forceinline__ void transpose(const T* from, T* to, int rows, int columns) {
  __shared__ alignas(16) Tile<T> tile;
  const int across = (columns + kTile - 1) / kTile;
  const int down = (rows + kTile - 1) / kTile;
  const int line = static_cast<int>(blockIdx.x) / across;
  const int matrix = line / down;
  const int first_column = (static_cast<int>(blockIdx.x) - line * across) * kTile;
  const int first_row = (line - matrix * down) * kTile;
  const int left_rows = rows - first_row;
  const int left_columns = columns - first_column;
  const long long first = static_cast<long long>(matrix) * rows * columns;
  by_runs<T>(columns, [&](auto run) {
    read_tile<sizeof run / sizeof(T)>(tile, from + (first + first_row * columns + first_column),
                                      MatrixPart{left_rows, left_columns, columns});
  });
  __syncthreads();
  by_runs<T>(rows, [&](auto run) {
    write_tile<sizeof run / sizeof(T)>(tile, to + (first + first_column * rows + first_row),
                                       MatrixPart{left_rows, left_columns, rows});
  });
}

// An image or a filter; the output.
extern "C" __global__ void __launch_bounds__(kThreads)
    conv_layer_arrange(const Element* __restrict__ from, Element* __restrict__ to, int rows,
                       int columns) {
  transpose(from, to, rows, columns);
}
extern "C" __global__ void __launch_bounds__(kThreads)
    conv_layer_arrange_output(const ElementOut* __restrict__ from, ElementOut* __restrict__ to,
                              int rows, int columns) {
  transpose(from, to, rows, columns);
}
