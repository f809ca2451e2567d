// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The way of pixels and prepared filters to their tiles in shared memory, by asynchronous copies.
// It takes few instructions, because every instruction but a multiply-add is lost on plain cores:
// conv_layer/common's PixelLoader takes 14 for a copy.

#include "async_copy.cuh"
#include "pixel_loader.cuh"
#include "product.cuh"

// A line for each pixel. Four unused elements behind each spread over the banks what neighbouring
// lanes read of their pixels.
constexpr int kPixelPitch = BLOCK_K + 4;
constexpr int kPixelElements = BLOCK_M * kPixelPitch;
constexpr int kFilterElements = BLOCK_K * BLOCK_N;

// If a group's channels are a multiple of BLOCK_K, all threads copy channels of one tap at a time.
constexpr bool kOneTap = TERM_ONE_TAP;

// Copies tiles of pixels, with zeros behind `last_k` if kOneTap does not hold.
class PixelCopies {
  static constexpr int kRunsOfLine = BLOCK_K / VECTOR_K;
  static constexpr int kLinesAtOnce = kThreads / kRunsOfLine;
  static constexpr int kLoads = (BLOCK_M + kLinesAtOnce - 1) / kLinesAtOnce;
  static_assert(kThreads % kRunsOfLine == 0, "a thread has one place in all lines");

 public:
  // From the group's first channel on; `first_tap_of` says where the filter of a line lies.
  template <class FIRST_TAP_OF>
  __device__ __forceinline__ PixelCopies(const Window<Element>& window, int first_channel,
                                         int first_k, int last_k, FIRST_TAP_OF&& first_tap_of)
      : window_(window),
        first_channel_(first_channel),
        depth_left_(last_k - first_k - run() * VECTOR_K) {
    const int k = first_k + (kOneTap ? 0 : run() * VECTOR_K);
    const int tap = k / window.channels;
    channel_ = k - tap * window.channels;
    tap_row_ = tap / window.filter_width;
    tap_ = tap - tap_row_ * window.filter_width;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const FirstTap first = first_tap_of(line(i));
      pixels_[i] = first.batch * (window.height * window.width);
      rows_[i] = first.row;
      columns_[i] = first.column;
    }
    find_pixels();
  }

  // Begins to copy the next tile to `tile`.
  __device__ __forceinline__ void start(Element* tile) {
    Element* const target = tile + (line(0) * kPixelPitch + run() * VECTOR_K);
    const int channel = channel_ + (kOneTap ? run() * VECTOR_K : 0);
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      if (BLOCK_M % kLinesAtOnce != 0 && line(i) >= BLOCK_M) break;
      const bool exists = offsets_[i] >= 0 && (kOneTap || depth_left_ > 0);
      Element* const target_of_line = target + i * kLinesAtOnce * kPixelPitch;
      if constexpr (CACHE == CACHE_L1)
        start_kept_copy_or_zeros<VECTOR_K>(target_of_line, window_.image + (offsets_[i] + channel),
                                           exists);
      else
        start_copy_or_zeros<VECTOR_K>(target_of_line, window_.image + (offsets_[i] + channel),
                                      exists);
    }
    advance();
  }

 private:
  static __device__ __forceinline__ int line(int i) {
    return static_cast<int>(threadIdx.x) / kRunsOfLine + i * kLinesAtOnce;
  }
  static __device__ __forceinline__ int run() {
    return static_cast<int>(threadIdx.x) % kRunsOfLine;
  }

  __device__ __forceinline__ void find_pixels() {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int y = source_index(rows_[i] + tap_row_ * window_.dilation_y, window_.height);
      const int x = source_index(columns_[i] + tap_ * window_.dilation_x, window_.width);
      const bool exists = !kGhostsAreZero || (y >= 0 && x >= 0);
      offsets_[i] =
          (exists ? pixels_[i] + y * window_.width + x : -1) * window_.pitch + first_channel_;
    }
  }

  // To the same place of the next tile.
  __device__ __forceinline__ void advance() {
    const int channels = window_.channels;
    depth_left_ -= BLOCK_K;
    channel_ += kOneTap ? BLOCK_K : BLOCK_K % channels;
    if (kOneTap && channel_ < channels) return;
    if (!kOneTap) {
      tap_ += BLOCK_K / channels % window_.filter_width;
      tap_row_ += BLOCK_K / channels / window_.filter_width;
    }
    if (channel_ >= channels) {
      channel_ -= channels;
      ++tap_;
    }
    if (tap_ >= window_.filter_width) {
      tap_ -= window_.filter_width;
      ++tap_row_;
    }
    find_pixels();
  }

  Window<Element> window_;
  int first_channel_;
  int depth_left_;  // from this thread's ks to the end
  int channel_;     // of the tap: the tile's first one, or without kOneTap this thread's
  int tap_;         // of the row of taps
  int tap_row_;
  int pixels_[kLoads];  // of the batch, before the image
  int rows_[kLoads];    // of the first tap
  int columns_[kLoads];
  int offsets_[kLoads];  // of what the tap meets, less than 0 for zeros
};

// Copies tiles of prepared filters, which lie one after another as they do in shared memory.
class FilterCopies {
  static constexpr int kRuns = kFilterElements / 4;
  static constexpr int kLoads = (kRuns + kThreads - 1) / kThreads;

 public:
  __device__ __forceinline__ explicit FilterCopies(const Element* first_tile)
      : next_(first_tile + 4 * static_cast<int>(threadIdx.x)) {}

  __device__ __forceinline__ void start(Element* tile) {
    Element* const target = tile + 4 * static_cast<int>(threadIdx.x);
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (kRuns % kThreads == 0 || static_cast<int>(threadIdx.x) + i * kThreads < kRuns)
        start_copy<4>(target + 4 * i * kThreads, next_ + 4 * i * kThreads);
    next_ += kFilterElements;
  }

 private:
  const Element* next_;
};
