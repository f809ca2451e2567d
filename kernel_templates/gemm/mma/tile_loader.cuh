// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// One factor's way from global memory to its tiles in shared memory.

#include "async_copy.cuh"
#include "operand.cuh"
#include "run.cuh"

// THREADS threads copy tiles of the kind TILE in accesses of VECTOR elements, of which the pitch
// and the length of a row as it is stored are multiples. What lies beyond the operand is zero in
// the tile. With ASYNC, which needs accesses of four bytes or more, copies go on by themselves.
template <class T, class TILE, int THREADS, int VECTOR, bool ASYNC>
class TileLoader {
  // A thread copies runs of a line, neighbouring threads neighbouring runs. A run is an access, or
  // several that make four bytes, of which elements may exist without those after them.
  static constexpr int kElement = static_cast<int>(sizeof(T));
  static constexpr int kRun = VECTOR * kElement < 4 ? 4 / kElement : VECTOR;
  static constexpr int kRunsOfLine = TILE::kLineElements / kRun;
  static constexpr int kLoads = (TILE::kLines * kRunsOfLine + THREADS - 1) / THREADS;
  static constexpr bool kManyLines = THREADS % kRunsOfLine == 0;
  static_assert(kManyLines || kRunsOfLine % THREADS == 0, "loads are a constant apart");
  static_assert(!ASYNC || kRun == VECTOR, "asynchronous copies have four bytes or more");

 public:
  using Tile = TILE;

  // Copies tiles from position `first` and `first_k` on.
  __device__ __forceinline__ TileLoader(const Operand<T>& operand, int first, int first_k)
      : pitch_(operand.pitch),
        positions_left_(operand.positions - first - (TILE::kAlongK ? line() : run() * kRun)),
        depth_left_(operand.depth - first_k - (TILE::kAlongK ? run() * kRun : line())) {
    const int along = (TILE::kAlongK ? first_k : first) + run() * kRun;
    const int across = (TILE::kAlongK ? first : first_k) + line();
    next_ = operand.data + static_cast<long long>(across) * pitch_ + along;
  }

  // Begins to copy the next tile to `tile`, zeros after the last. With ASYNC it is there after the
  // wait for asynchronous copies, else it is in registers until finish().
  __device__ __forceinline__ void start(char* tile) {
    const T* source = next_;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      if (exists(i)) {
        if constexpr (ASYNC)
          start_copy_or_zeros<VECTOR>(target(tile, i), source, is_inside(i, 0));
        else
          load(i, source);
      }
      source += static_cast<long long>(lines_to(i + 1) - lines_to(i)) * pitch_ +
                (elements_to(i + 1) - elements_to(i));
    }
    next_ += TILE::kAlongK ? TILE::kLineElements : static_cast<long long>(TILE::kLines) * pitch_;
    depth_left_ -= TILE::kAlongK ? TILE::kLineElements : TILE::kLines;
  }

  // Makes the tile of what start() brought to registers.
  __device__ __forceinline__ void finish(char* tile) const {
    if constexpr (!ASYNC) {
#pragma unroll
      for (int i = 0; i < kLoads; ++i)
        if (exists(i)) *reinterpret_cast<Run<kRun, T>*>(target(tile, i)) = runs_[i];
    }
  }

 private:
  // Of load 0 of this thread.
  static __device__ __forceinline__ int line() {
    return kManyLines ? static_cast<int>(threadIdx.x) / kRunsOfLine : 0;
  }
  static __device__ __forceinline__ int run() {
    return static_cast<int>(threadIdx.x) % (kManyLines ? kRunsOfLine : THREADS);
  }

  // From load 0 to load `i`.
  static __device__ __forceinline__ int lines_to(int i) {
    return kManyLines ? i * (THREADS / kRunsOfLine) : i / (kRunsOfLine / THREADS);
  }
  static __device__ __forceinline__ int elements_to(int i) {
    return kManyLines ? 0 : i % (kRunsOfLine / THREADS) * (THREADS * kRun);
  }

  static __device__ __forceinline__ bool exists(int i) {
    return TILE::kLines * kRunsOfLine % THREADS == 0 || line() + lines_to(i) < TILE::kLines;
  }
  static __device__ __forceinline__ T* target(char* tile, int i) {
    return reinterpret_cast<T*>(
        tile + TILE::offset_in_line(line() + lines_to(i), run() * kRun + elements_to(i)));
  }

  // Whether element `e` of load `i` is within the operand.
  __device__ __forceinline__ bool is_inside(int i, int e) const {
    const int along = elements_to(i) + e;
    return TILE::kAlongK ? lines_to(i) < positions_left_ && along < depth_left_
                         : along < positions_left_ && lines_to(i) < depth_left_;
  }

  __device__ __forceinline__ void load(int i, const T* source) {
    runs_[i] = Run<kRun, T>{};
#pragma unroll
    for (int e = 0; e < kRun; e += VECTOR)
      if (is_inside(i, e)) {
        const Run<VECTOR, T> found = *reinterpret_cast<const Run<VECTOR, T>*>(source + e);
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) runs_[i].value[e + v] = found.value[v];
      }
  }

  const T* next_;
  int pitch_;
  int positions_left_;  // from this thread's first element to the operand's ends
  int depth_left_;
  Run<kRun, T> runs_[ASYNC ? 1 : kLoads];
};
