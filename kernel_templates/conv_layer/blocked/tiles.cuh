// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Tiles of pixels and filters on their way from global memory through STAGES places in shared
// memory to registers, started STAGES − 1 tiles ahead of their use, and their products.

#include "loading.cuh"

constexpr int kStage = kPixelElements + kFilterElements;  // elements

extern __shared__ __align__(16) float shared[];

class Pipeline {
 public:
  // Copies `tiles` tiles and reads for the thread whose outputs begin at `place` in
  // the block's tile.
  __device__ __forceinline__ Pipeline(const PixelCopies& pixels, const FilterCopies& filters,
                                      int tiles, const MatrixPlace& place)
      : pixels_(pixels),
        filters_(filters),
        left_(tiles),
        first_pixel_(place.row * kPixelPitch),
        first_filter_(kPixelElements + place.column) {
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) start();
    finish();
  }

  // Begins to copy the next tiles into the place of those left last by advance(); nothing after the
  // last.
  __device__ __forceinline__ void start() {
    if (left_ > 0) {
      pixels_.start(tiles() + filling_);
      filters_.start(tiles() + filling_ + kPixelElements);
    }
    --left_;
    end_copy_group();
    to_next_stage(filling_);
  }

  // From the tiles being read to those after them, which are whole then. All of the former has been
  // read, by all threads.
  __device__ __forceinline__ void advance() {
    finish();
    to_next_stage(reading_);
  }

  // Reads what the products of a tile at `k`, a constant, need: its filters, and four ks of pixels
  // at the first of each four.
  __device__ __forceinline__ void read(Fragment (&fragments)[2], int k) const {
    const Element* const tile = tiles() + reading_;
    Fragment& fragment = fragments[k / 4 % 2];
    if (k % 4 == 0)
      read_fragment(fragment.a, tile + first_pixel_,
                    [=](int i, int further) { return row_offset(i) * kPixelPitch + k + further; });
    constexpr int kRuns = THREAD_N / 4;
#pragma unroll
    for (int j = 0; j < kRuns; ++j)
      fragment.b.runs[k % 4 * kRuns + j] = *reinterpret_cast<const Run<4, Element>*>(
          tile + first_filter_ + (k * BLOCK_N + column_offset(4 * j)));
  }

  // Nothing is on its way any more, for all threads.
  __device__ __forceinline__ void drain() {
    wait_for_copies();
    __syncthreads();
  }

 private:
  static __device__ __forceinline__ Element* tiles() {
    return reinterpret_cast<Element*>(shared);
  }
  static __device__ __forceinline__ void to_next_stage(int& stage) {
    stage = stage == (STAGES - 1) * kStage ? 0 : stage + kStage;
  }
  static __device__ __forceinline__ void finish() {
    wait_for_copies_but<STAGES - 2>();
    __syncthreads();
  }

  PixelCopies pixels_;
  FilterCopies filters_;
  int left_;         // tiles to copy
  int first_pixel_;  // this thread's in a stage, in elements
  int first_filter_;
  int filling_ = 0;  // of the stage, in elements
  int reading_ = 0;
};

// The products of `tiles` tiles from where the pipeline stands. What a k needs is read while the
// products of the k before it are computed.
__device__ __forceinline__ void add_products(Sums& sums, Pipeline& pipeline, int tiles) {
  Fragment fragments[2];
  pipeline.read(fragments, 0);
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
    for (int k = 0; k < BLOCK_K; ++k) {
      if (k == BLOCK_K - 1) pipeline.advance();
      pipeline.read(fragments, (k + 1) % BLOCK_K);
      if (k == 0) pipeline.start();
      multiply_add(sums, fragments[k / 4 % 2], k % 4);
    }
  }
}
