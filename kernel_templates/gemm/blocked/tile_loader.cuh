// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// One operand's way from global memory to its tile in shared memory: EXTENT rows of op(A) or
// columns of op(B), DEPTH ks of each.

#include "async_copy.cuh"
#include "operand.cuh"
#include "run.cuh"

// THREADS threads copy tiles of EXTENT × DEPTH in accesses of VECTOR elements, of which the pitch
// and the length along which elements are contiguous are multiples. What lies beyond the operand is
// zero in the tile. With INNER no tile reaches beyond the last position, and beyond the last k only
// as a whole. In shared memory a k makes a row of the tile; with POSITION_MAJOR, which needs
// K_CONTIGUOUS, a position does. Elements of type T lie in the tile as TILE; asynchronous copies
// need both to be the same.
template <class T, class TILE, int EXTENT, int DEPTH, int THREADS, int VECTOR, bool K_CONTIGUOUS,
          bool POSITION_MAJOR, bool INNER>
class TileLoader {
  // Runs of VECTOR elements side by side in global memory make a line, along K or the positions.
  static constexpr int kRunsOfLine = (K_CONTIGUOUS ? DEPTH : EXTENT) / VECTOR;
  static constexpr int kRuns = EXTENT * DEPTH / VECTOR;
  static constexpr int kLoads = (kRuns + THREADS - 1) / THREADS;
  static constexpr int kNowhere = 0x7fffffff;

  // A thread's loads are a constant apart if its lines or its runs of a line are.
  static constexpr bool kManyLines = THREADS % kRunsOfLine == 0;
  static constexpr bool kLongLines = kRunsOfLine % THREADS == 0;
  static constexpr bool kRegular = kManyLines || kLongLines;

 public:
  // Four unused elements a row spread over the banks what one access writes to several rows, or
  // reads from them.
  static constexpr int kPitch = POSITION_MAJOR ? DEPTH + 4 : EXTENT + (K_CONTIGUOUS ? 4 : 0);
  static constexpr int kElements = kPitch * (POSITION_MAJOR ? EXTENT : DEPTH);
  static constexpr int kBytes = kElements * sizeof(TILE);

  // Where an element of the tile lies.
  static __device__ __forceinline__ int index(int position, int k) {
    return POSITION_MAJOR ? position * kPitch + k : k * kPitch + position;
  }

  // Copies tiles from position `first` and `first_k` on to shared memory, the first at `tile`.
  __device__ __forceinline__ TileLoader(const Operand<T>& operand, int first, int first_k,
                                        TILE* tile)
      : target_(tile + (kRegular ? index(position(0), depth(0)) : 0)),
        pitch_(operand.pitch),
        k_left_(operand.depth - first_k) {
    const int along = (K_CONTIGUOUS ? first_k : first) + (kRegular ? run(0) * VECTOR : 0);
    const int across = (K_CONTIGUOUS ? first : first_k) + (kRegular ? line(0) : 0);
    next_ = operand.data + static_cast<long long>(across) * pitch_ + along;
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      depths_[i] = first + position(i) < operand.positions ? depth(i) : kNowhere;
  }

  // Begins to copy the next tile, zeros after the last. ASYNC: it is there after the wait for
  // asynchronous copies. Otherwise it is in registers, of which finish() makes the tile.
  template <bool ASYNC>
  __device__ __forceinline__ void start() {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      if (!exists(i)) continue;
      const bool inside = INNER ? k_left_ > 0 : depths_[i] < k_left_;
      if constexpr (ASYNC) {
        start_copy_or_zeros<VECTOR>(target(i), source(i), inside);
      } else {
        runs_[i] = Run<VECTOR, T>{};
        if (inside) runs_[i] = *reinterpret_cast<const Run<VECTOR, T>*>(source(i));
      }
    }
    next_ += K_CONTIGUOUS ? DEPTH : static_cast<long long>(DEPTH) * pitch_;
    k_left_ -= DEPTH;
  }

  __device__ __forceinline__ void finish() {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      if (!exists(i)) continue;
      if (K_CONTIGUOUS && !POSITION_MAJOR) {
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) target(i)[v * kPitch] = to<TILE>(runs_[i].value[v]);
      } else {
        *reinterpret_cast<Run<VECTOR, TILE>*>(target(i)) = run_to<TILE>(runs_[i]);
      }
    }
  }

  // The tile to fill next is so many elements further.
  __device__ __forceinline__ void move_target(int elements) {
    target_ += elements;
  }

 private:
  // Load `i` of this thread: its line, its run of the line, and what they are in the tile.
  static __device__ __forceinline__ int line(int i) {
    return kManyLines ? static_cast<int>(threadIdx.x / kRunsOfLine) + lines_to(i) : lines_to(i);
  }
  static __device__ __forceinline__ int run(int i) {
    if constexpr (kManyLines) return static_cast<int>(threadIdx.x % kRunsOfLine);
    return kLongLines ? static_cast<int>(threadIdx.x) + runs_to(i) : runs_to(i);
  }
  static __device__ __forceinline__ int position(int i) {
    return K_CONTIGUOUS ? line(i) : run(i) * VECTOR;
  }
  static __device__ __forceinline__ int depth(int i) {
    return K_CONTIGUOUS ? run(i) * VECTOR : line(i);
  }
  static __device__ __forceinline__ bool exists(int i) {
    return kRuns % THREADS == 0 || threadIdx.x + i * THREADS < kRuns;
  }

  // From load 0 to load `i`, or to it from the tile's beginning where that is no constant.
  static __device__ __forceinline__ int lines_to(int i) {
    if constexpr (kManyLines)
      return i * (THREADS / kRunsOfLine);
    else if constexpr (kLongLines)
      return i / (kRunsOfLine / THREADS);
    else
      return static_cast<int>((threadIdx.x + i * THREADS) / kRunsOfLine);
  }
  static __device__ __forceinline__ int runs_to(int i) {
    if constexpr (kManyLines)
      return 0;
    else if constexpr (kLongLines)
      return i % (kRunsOfLine / THREADS) * THREADS;
    else
      return static_cast<int>((threadIdx.x + i * THREADS) % kRunsOfLine);
  }
  __device__ __forceinline__ TILE* target(int i) const {
    return target_ + (K_CONTIGUOUS ? index(lines_to(i), runs_to(i) * VECTOR)
                                   : index(runs_to(i) * VECTOR, lines_to(i)));
  }
  __device__ __forceinline__ const T* source(int i) const {
    return next_ + (static_cast<long long>(lines_to(i)) * pitch_ + runs_to(i) * VECTOR);
  }

  const T* next_;
  TILE* target_;
  int pitch_;
  int k_left_;
  int depths_[kLoads];  // of a load, or beyond any for a position beyond the last
  Run<VECTOR, T> runs_[kLoads];
};
