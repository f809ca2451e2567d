// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The way of a factor of 8-bit elements whose neighbours in memory are positions to tiles whose
// neighbours are ks, because no instruction transposes elements of 8 bits.

#include "operand.cuh"
#include "run.cuh"

// Four words of four bytes: word i becomes byte i of each.
__device__ __forceinline__ void transpose_bytes(unsigned (&words)[4]) {
  const unsigned low01 = __byte_perm(words[0], words[1], 0x5140U);
  const unsigned high01 = __byte_perm(words[0], words[1], 0x7362U);
  const unsigned low23 = __byte_perm(words[2], words[3], 0x5140U);
  const unsigned high23 = __byte_perm(words[2], words[3], 0x7362U);
  words[0] = __byte_perm(low01, low23, 0x5410U);
  words[1] = __byte_perm(low01, low23, 0x7632U);
  words[2] = __byte_perm(high01, high23, 0x5410U);
  words[3] = __byte_perm(high01, high23, 0x7632U);
}

// THREADS threads copy tiles of the kind TILE, whose lines are ks of one position, through their
// registers. The pitch and the number of positions are multiples of VECTOR. What lies beyond the
// operand is zero in the tile.
template <class T, class TILE, int THREADS, int VECTOR>
class TransposingLoader {
  // A thread copies squares of four positions by four ks, neighbours squares of neighbouring
  // positions.
  static constexpr int kAcross = TILE::kLines / 4;
  static constexpr int kSquares = kAcross * (TILE::kLineElements / 4);
  static constexpr int kLoads = (kSquares + THREADS - 1) / THREADS;
  static_assert(sizeof(T) == 1 && TILE::kAlongK, "for 8-bit elements");

 public:
  using Tile = TILE;

  // Copies tiles from position `first` and `first_k` on.
  __device__ __forceinline__ TransposingLoader(const Operand<T>& operand, int first, int first_k)
      : next_(operand.data + static_cast<long long>(first_k) * operand.pitch + first),
        pitch_(operand.pitch),
        positions_left_(operand.positions - first),
        depth_left_(operand.depth - first_k) {}

  // Begins to copy the next tile, zeros after the last.
  __device__ __forceinline__ void start(char*) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (exists(i)) {
#pragma unroll
        for (int row = 0; row < 4; ++row) squares_[i][row] = load(k_of(i) + row, position_of(i));
      }
    next_ += static_cast<long long>(TILE::kLineElements) * pitch_;
    depth_left_ -= TILE::kLineElements;
  }

  // Makes the tile of what start() brought to registers.
  __device__ __forceinline__ void finish(char* tile) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (exists(i)) {
        transpose_bytes(squares_[i]);
#pragma unroll
        for (int position = 0; position < 4; ++position)
          *reinterpret_cast<unsigned*>(tile + TILE::offset(position_of(i) + position, k_of(i))) =
              squares_[i][position];
      }
  }

 private:
  static __device__ __forceinline__ int square(int i) {
    return static_cast<int>(threadIdx.x) + i * THREADS;
  }
  static __device__ __forceinline__ bool exists(int i) {
    return kSquares % THREADS == 0 || square(i) < kSquares;
  }
  static __device__ __forceinline__ int position_of(int i) {
    return square(i) % kAcross * 4;
  }
  static __device__ __forceinline__ int k_of(int i) {
    return square(i) / kAcross * 4;
  }

  // Four neighbours.
  __device__ __forceinline__ unsigned load(int k, int position) const {
    const T* const source = next_ + static_cast<long long>(k) * pitch_ + position;
    const int inside = k < depth_left_ ? positions_left_ - position : 0;
    if constexpr (VECTOR >= 4) {
      return inside > 0 ? *reinterpret_cast<const unsigned*>(source) : 0;
    } else {
      Run<4, T> run = {};
#pragma unroll
      for (int e = 0; e < 4; e += VECTOR)
        if (e < inside)
          *reinterpret_cast<Run<VECTOR, T>*>(run.value + e) =
              *reinterpret_cast<const Run<VECTOR, T>*>(source + e);
      return *reinterpret_cast<const unsigned*>(run.value);
    }
  }

  const T* next_;
  int pitch_;
  int positions_left_;  // from the tile's first position and k to the operand's ends
  int depth_left_;
  unsigned squares_[kLoads][4];
};
