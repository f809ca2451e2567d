// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// products.cuh by the tensor cores of compute capability 9.0, for PRODUCT=wgmma: the four warps of
// a group multiply 16 pixels each, windows from registers and filters from shared memory. So a
// thread has registers for more filters, which share the reads of a window.

#define WGMMA_LEFT TYPE
#define WGMMA_RIGHT TYPE
#include "geometry.cuh"
#include "multiplication.cuh"

static_assert(WARPS % 4 == 0, "four warps multiply together");

// Prepared filters are as shared memory has them: the 32 bytes of a step of all filters, then those
// of the next.
using FilterTile = OperandTile<Element, FILTERS, kSteps, true, 0, 32>;
__device__ __forceinline__ int prepared_place(int step, int product, int half, int lane) {
  const int word = 8 * step + 4 * half + lane % 4;
  return static_cast<int>(FilterTile::place(8 * product + lane / 4, word * kWord)) / 4;
}

// A lane's sums of 16 pixels: 0 and 1 are of the first.
using WindowSums = Sum[kProducts][4];

__device__ __forceinline__ int lane_of_warp() {
  return static_cast<int>(threadIdx.x) % 32;
}

// The filters of a block, at the beginning of shared memory.
class Filters {
 public:
  // All threads copy them. They are there after the next barrier.
  __device__ __forceinline__ explicit Filters(const unsigned* prepared)
      : filters_(lower_word<FilterTile>(shared)) {
    using Unit = Run<4, unsigned>;
    for (int i = static_cast<int>(threadIdx.x); i < kBlockWords / 4; i += kThreads)
      reinterpret_cast<Unit*>(shared)[i] = reinterpret_cast<const Unit*>(prepared)[i];
    proxy_fence();
    ON_GPU(for_each_half([&](int step, int half) {
      const int word = 8 * step + 4 * half + lane_of_warp() % 4;
      places_[step][half] = word_place(word);
      masks_[step][half] = mask_of(word);
    }));
  }

  // Adds all products of 16 pixels of each warp, of which this lane's first window begins at
  // `window`.
  __device__ __forceinline__ void multiply_add(WindowSums& sums, const Element* window) const {
#if defined(TILEWRIGHT_HOST)
    add_on_host(sums, window);
#else
    Fragment fragments[kSteps];
    for_each_half([&](int step, int half) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const auto* const place = window + places_[step][half] + i * 8 * kStride;
        const unsigned word = *reinterpret_cast<const unsigned*>(place);
        fragments[step].value[2 * half + i] =
            is_masked(8 * step + 4 * half) ? word & masks_[step][half] : word;
      }
    });
    auto& all = reinterpret_cast<Sum(&)[FILTERS / 2]>(sums);
    pin_all(all);
    begin_products();
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
      Instruction<FILTERS>::template run<FilterTile, FilterTile>(
          all, fragments[step], descriptor<FilterTile>(filters_, 0, step * FilterTile::kSpan), 1);
    end_products();
    pin_all(all);
    wait_for_products<0>();
    pin_all(all);
#endif
  }

 private:
  template <class FUNCTION>
  static __device__ __forceinline__ void for_each_half(FUNCTION&& function) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
#pragma unroll
      for (int half = 0; half < 2; ++half) function(step, half);
  }
  static __device__ __forceinline__ void pin_all(Sum (&sums)[FILTERS / 2]) {
#pragma unroll
    for (int i = 0; i < FILTERS / 2; ++i) pin(sums[i]);
  }

#if defined(TILEWRIGHT_HOST)
  // Lanes cannot exchange registers there, so each reads what its own sums need; filters as the
  // descriptor says.
  void add_on_host(WindowSums& sums, const Element* window) const {
    for (int product = 0; product < kProducts; ++product)
      for (int side = 0; side < 2; ++side) {
        for (int step = 0; step < kSteps; ++step) {
          const HostFactors<Sum, FilterTile> filter(
              descriptor<FilterTile>(filters_, 0, step * FilterTile::kSpan),
              8 * product + lane_of_warp() % 4 * 2 + side);
          for (int i = 0; i < 2; ++i)
            for (int k = 0; k < FilterTile::kSpan; ++k) {
              const int word = 8 * step + k / kWord;
              if (is_needed(word, k % kWord))
                sums[product][2 * i + side] +=
                    factor<Sum>(window[word_place(word) + k % kWord + i * 8 * kStride]) *
                    filter.value[k];
            }
        }
      }
  }
#endif

  unsigned filters_;
  int places_[kSteps][2];
  unsigned masks_[kSteps][2];
};
