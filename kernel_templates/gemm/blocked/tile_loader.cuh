// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// One operand's way from global memory to its tile in shared memory: EXTENT rows of op(A) or
// columns of op(B), DEPTH ks of each.

#include "async_copy.cuh"
#include "run.cuh"

// A matrix as the loop over K sees it: `positions` rows of op(A) or columns of op(B), `depth`
// products. Elements (position, k) are at position * pitch + k with K_CONTIGUOUS, else at
// k * pitch + position.
struct Operand {
  const float* data;
  int pitch;
  int positions;
  int depth;
};

// THREADS threads copy tiles of EXTENT × DEPTH in accesses of VECTOR floats, of which the pitch and
// the length along which elements are contiguous are multiples. With INNER no tile reaches beyond
// the last position, and beyond the last k only as a whole. Positions beyond the last are copies of
// it, which only outputs beyond the edge of C see; products beyond the last are zero. In shared
// memory a k makes a row of the tile; with POSITION_MAJOR, which needs K_CONTIGUOUS, a position
// does.
template <int EXTENT, int DEPTH, int THREADS, int VECTOR, bool K_CONTIGUOUS, bool POSITION_MAJOR,
          bool INNER>
class TileLoader {
  // Runs of VECTOR floats side by side in global memory make a line, along K or the positions.
  static constexpr int kRunsOfLine = (K_CONTIGUOUS ? DEPTH : EXTENT) / VECTOR;
  static constexpr int kRuns = EXTENT * DEPTH / VECTOR;
  static constexpr int kLoads = (kRuns + THREADS - 1) / THREADS;
  // Whether a thread has the same run of several lines, kLines apart.
  static constexpr bool kRegular = THREADS % kRunsOfLine == 0;
  static constexpr int kLines = THREADS / kRunsOfLine;

 public:
  // Four unused floats a row spread over the banks what one access writes to several rows, or
  // reads from them.
  static constexpr int kPitch = POSITION_MAJOR ? DEPTH + 4 : EXTENT + (K_CONTIGUOUS ? 4 : 0);
  static constexpr int kFloats = kPitch * (POSITION_MAJOR ? EXTENT : DEPTH);

  // Where an element of the tile lies.
  static __device__ __forceinline__ int index(int position, int k) {
    return POSITION_MAJOR ? position * kPitch + k : k * kPitch + position;
  }

  __device__ __forceinline__ TileLoader(const Operand& operand, int first, int first_k)
      : pitch_(operand.pitch), k_left_(operand.depth - first_k) {
    const int along = K_CONTIGUOUS ? first_k : first;
    const int across = K_CONTIGUOUS ? first : first_k;
    if (INNER && kRegular) {
      next_ = operand.data + static_cast<long long>(across + line(0)) * pitch_ +
              (along + run(0) * VECTOR);
      return;
    }
    next_ = operand.data + (K_CONTIGUOUS ? first_k : static_cast<long long>(first_k) * pitch_);
    const int last_position = operand.positions - (K_CONTIGUOUS ? 1 : VECTOR);
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int at = min(first + position(i), last_position);
      const int k = min(depth(i), max(k_left_ - 1, 0));  // beyond it in no later tile either
      offsets_[i] = K_CONTIGUOUS ? at * pitch_ + depth(i) : k * pitch_ + at;
    }
  }

  // Begins to copy the next tile, zeros after the last. ASYNC: to `tile`, there after the wait
  // for asynchronous copies. Otherwise to registers, of which finish() makes the tile.
  template <bool ASYNC>
  __device__ __forceinline__ void start(float* tile) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      if (!exists(i)) continue;
      const bool inside = INNER ? k_left_ > 0 : depth(i) < k_left_;
      if (ASYNC) {
        start_copy_or_zeros<4 * VECTOR>(target(tile, i), source(i), inside);
      } else {
        runs_[i] = Run<VECTOR>{};
        if (inside) runs_[i] = *reinterpret_cast<const Run<VECTOR>*>(source(i));
      }
    }
    next_ += K_CONTIGUOUS ? DEPTH : static_cast<long long>(DEPTH) * pitch_;
    k_left_ -= DEPTH;
  }

  __device__ __forceinline__ void finish(float* tile) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      if (!exists(i)) continue;
      if (K_CONTIGUOUS && !POSITION_MAJOR) {
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) target(tile, i)[v * kPitch] = runs_[i].value[v];
      } else {
        *reinterpret_cast<Run<VECTOR>*>(target(tile, i)) = runs_[i];
      }
    }
  }

 private:
  // Load `i` of this thread: its line, its run of the line, and what they are in the tile.
  static __device__ __forceinline__ int line(int i) {
    if (kRegular) return static_cast<int>(threadIdx.x / kRunsOfLine) + i * kLines;
    return static_cast<int>((threadIdx.x + i * THREADS) / kRunsOfLine);
  }
  static __device__ __forceinline__ int run(int i) {
    return static_cast<int>((threadIdx.x + (kRegular ? 0 : i * THREADS)) % kRunsOfLine);
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

  static __device__ __forceinline__ float* target(float* tile, int i) {
    return tile + index(position(i), depth(i));
  }
  __device__ __forceinline__ const float* source(int i) const {
    return INNER && kRegular ? next_ + i * kLines * pitch_ : next_ + offsets_[i];
  }

  const float* next_;
  int pitch_;
  int k_left_;
  int offsets_[kLoads];
  Run<VECTOR> runs_[kLoads];
};
