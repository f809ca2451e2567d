// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Star stencils over volumes, plane by plane. A thread has the sums of OUTPUTS_X × OUTPUTS_Y points
// in each of 2 · radius + 1 planes. A plane of samples that comes contributes to all of them: its
// whole star to its own, its points to those before and behind.

#include "plane_stream.cuh"
#include "tile_writing.cuh"

constexpr int kRadius = PROBLEM_RADIUS;
constexpr int kStar = 2 * kRadius + 1;  // points along an axis

// As the manifest's array: c0, then kRadius for each of x, y and z. That of x at distance 0 is c0.
struct Coefficients {
  Sum values[13];

  __device__ __forceinline__ Sum x(int distance) const { return values[distance]; }
  __device__ __forceinline__ Sum y(int distance) const { return values[kRadius + distance]; }
  __device__ __forceinline__ Sum z(int distance) const { return values[2 * kRadius + distance]; }
};

// Which of a thread's points keep their values: with the boundary fixed those nearer to a face than
// the radius.
class FixedPoints {
 public:
  // The thread's first point is at (row, column).
  __device__ __forceinline__ FixedPoints(const Volume& volume, int row, int column)
      : depth_(volume.depth) {
    if constexpr (kIsFixed) {
#pragma unroll
      for (int y = 0; y < OUTPUTS_Y; ++y)
#pragma unroll
        for (int x = 0; x < OUTPUTS_X; ++x)
          if (is_near_end(row + y, volume.height) || is_near_end(column + x, volume.width))
            points_ |= 1U << (y * OUTPUTS_X + x);
    }
  }

  __device__ __forceinline__ bool plane(int z) const {
    return kIsFixed && is_near_end(z, depth_);
  }
  __device__ __forceinline__ bool point(int y, int x) const {
    return kIsFixed && (points_ >> (y * OUTPUTS_X + x) & 1U) != 0;
  }

 private:
  static __device__ __forceinline__ bool is_near_end(int place, int length) {
    return place < kRadius || place >= length - kRadius;
  }

  int depth_;
  unsigned points_ = 0;
};

// What plane z of the volume contributes to a thread's sums. `rows` is the thread's first row of it
// in shared memory, whose rows are PITCH long, BEFORE samples before the thread's first point: a
// multiple of a run's length.
template <int PITCH, int BEFORE, class KEPT>
class Star {
 public:
  __device__ __forceinline__ Star(const KEPT* rows, const Coefficients& c, const FixedPoints& fixed,
                                  int z)
      : rows_(rows), c_(c), fixed_(fixed), z_(z) {}

  __device__ __forceinline__ void add(Sum (&sums)[kStar][OUTPUTS_Y][OUTPUTS_X]) const {
    add_rows<-kRadius>(sums);
    if constexpr (kIsFixed) {
#pragma unroll
      for (int y = 0; y < OUTPUTS_Y; ++y) {
        Sum window[kWindow];
        read_samples<kRunOfOutputs>(window, rows_ + y * PITCH);
#pragma unroll
        for (int x = 0; x < OUTPUTS_X; ++x)
          if (fixed_.plane(z_) || fixed_.point(y, x)) sums[kRadius][y][x] = window[BEFORE + x];
      }
    }
  }

 private:
  static constexpr int kWindow = round_up(BEFORE + OUTPUTS_X + kRadius, kRunOfOutputs);

  // What the rows from ROW on contribute. Of those above and below the thread's own, only
  // OUTPUTS_X samples are used. Templates write this out, because compilers leave pragmas aside.
  template <int ROW>
  __device__ __forceinline__ void add_rows(Sum (&sums)[kStar][OUTPUTS_Y][OUTPUTS_X]) const {
    Sum window[kWindow];
    read_samples<kRunOfOutputs>(window, rows_ + ROW * PITCH);
    if constexpr (ROW >= 0 && ROW < OUTPUTS_Y) {
      add_row(sums[kRadius][ROW], window);
      add_to_planes<ROW>(sums, window);
    }
#pragma unroll
    for (int y = 0; y < OUTPUTS_Y; ++y) {
      const int distance = y > ROW ? y - ROW : ROW - y;
      if (distance == 0 || distance > kRadius) continue;
#pragma unroll
      for (int x = 0; x < OUTPUTS_X; ++x)
        sums[kRadius][y][x] += c_.y(distance) * window[BEFORE + x];
    }
    if constexpr (ROW + 1 < OUTPUTS_Y + kRadius) add_rows<ROW + 1>(sums);
  }

  // What a row contributes to its own points.
  __device__ __forceinline__ void add_row(Sum (&sums)[OUTPUTS_X],
                                          const Sum (&window)[kWindow]) const {
#pragma unroll
    for (int x = 0; x < OUTPUTS_X; ++x) {
      sums[x] += c_.x(0) * window[BEFORE + x];
#pragma unroll
      for (int r = 1; r <= kRadius; ++r)
        sums[x] += c_.x(r) * (window[BEFORE + x - r] + window[BEFORE + x + r]);
    }
  }

  // What it contributes to those before and behind, of which some may be fixed already.
  template <int ROW>
  __device__ __forceinline__ void add_to_planes(Sum (&sums)[kStar][OUTPUTS_Y][OUTPUTS_X],
                                                const Sum (&window)[kWindow]) const {
#pragma unroll
    for (int r = kRadius; r >= 1; --r) {
      if (!fixed_.plane(z_ - r)) {
#pragma unroll
        for (int x = 0; x < OUTPUTS_X; ++x)
          if (!fixed_.point(ROW, x)) sums[kRadius + r][ROW][x] += c_.z(r) * window[BEFORE + x];
      }
#pragma unroll
      for (int x = 0; x < OUTPUTS_X; ++x) sums[kRadius - r][ROW][x] += c_.z(r) * window[BEFORE + x];
    }
  }

  const KEPT* rows_;
  const Coefficients& c_;
  const FixedPoints& fixed_;
  int z_;
};
