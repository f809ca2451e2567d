// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// A plane of samples in global memory, and vectors of N of them on their way to shared memory.

#include "filter_types.cuh"
#include "vector_copy.cuh"

struct Plane {
  const Element* samples;
  int width, height, pitch;
  int index = 0;  // among all planes
};

// What of a plane's surroundings some vectors reach: nothing (all samples exist), zeros (a vector's
// samples all exist, or are all zero), ghosts (anything).
enum class Reach { nothing, zeros, ghosts };

// What vectors of N that begin at multiples of N reach at most.
template <int N>
__device__ __forceinline__ Reach reach_beyond(const Plane& plane) {
  return PROBLEM_BOUNDARY == BOUNDARY_ZERO && plane.width % N == 0 ? Reach::zeros : Reach::ghosts;
}

// N samples from (row, column) on. With ASYNC they are there after a wait for copies.
template <int N, bool ASYNC, Reach REACH, class KEPT>
__device__ __forceinline__ void load_vector(KEPT* target, const Plane& plane, int row, int column) {
  if (REACH != Reach::ghosts) {
    const bool exists = REACH == Reach::nothing ||
                        (row >= 0 && row < plane.height && column >= 0 && column < plane.width);
    const Element* source = plane.samples + (exists ? row * plane.pitch + column : 0);
    if (REACH == Reach::nothing)
      copy_vector<N, ASYNC>(target, source);
    else
      copy_vector_or_zeros<N, ASYNC>(target, source, exists);
    return;
  }
  const int source = source_index(row, plane.height);
  if (source >= 0) {
    copy_vector_or_ghosts<N, ASYNC>(target, plane.samples + source * plane.pitch, column,
                                    plane.width);
    return;
  }
#pragma unroll
  for (int v = 0; v < N; ++v) target[v] = KEPT{};
}
