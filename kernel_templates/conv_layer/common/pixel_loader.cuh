// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The way of an image's pixels (layout=nhwc) to tiles of a product's left factor, by asynchronous
// copies (sm_80 and later): a line of a tile has what the filter meets for one output, ks in the
// order of the filter (krsc): plane of taps, row of taps, column of taps, channel.

#include "async_copy.cuh"
#include "boundary.cuh"
#include "run.cuh"
#include "volume.cuh"

// The images, and what a filter meets of them.
template <class T>
struct Window {
  const T* image;  // from the group's first channel on
  int pitch;       // elements of a pixel
  int width;
  int height;
  int channels;  // of a group
  int filter_width;
  int dilation_x;
  int dilation_y;
  // Of volumes alone.
  int depth = 1;
  int filter_height = 1;
  int dilation_z = 1;
};

// Where the filter's first tap lies.
struct FirstTap {
  int batch;
  int row;
  int column;
  int plane = 0;
};

// Where the filter lies for each pixel of the output, and for those behind the last one as for it.
struct FirstTaps {
  int pixels;
  int width_out;
  int height_out;
  int stride_x;
  int stride_y;
  int padding_x;
  int padding_y;
  // Of volumes alone.
  int depth_out = 1;
  int stride_z = 1;
  int padding_z = 0;

  __device__ __forceinline__ FirstTap of(int pixel) const {
    const int existing = min(pixel, pixels - 1);
    const int row = existing / width_out;
    const int plane = row / height_out;
    return {plane / depth_out, row % height_out * stride_y - padding_y,
            (existing - row * width_out) * stride_x - padding_x,
            plane % depth_out * stride_z - padding_z};
  }
};

// THREADS threads copy tiles of the kind TILE in accesses of VECTOR channels, of which a group's
// channels are a multiple. Behind `last_k` are zeros. With ONE_TAP a filter has one tap; with KEPT
// the L1 cache keeps what is read, for the next taps.
template <class T, class TILE, int THREADS, int VECTOR, bool ONE_TAP, bool KEPT>
class PixelLoader {
  static constexpr int kRunsOfLine = TILE::kLineElements / VECTOR;
  static constexpr int kLinesAtOnce = THREADS / kRunsOfLine;
  static constexpr int kLoads = (TILE::kLines + kLinesAtOnce - 1) / kLinesAtOnce;
  static_assert(TILE::kAlongK && THREADS % kRunsOfLine == 0, "a thread has one place in all lines");
  static_assert(VECTOR * sizeof(T) >= 4, "asynchronous copies have four bytes or more");

 public:
  using Tile = TILE;

  // Copies tiles from `first_k` on. `first_tap_of` says where the filter of a line lies.
  template <class FIRST_TAP_OF>
  __device__ __forceinline__ PixelLoader(const Window<T>& window, int first_k, int last_k,
                                         FIRST_TAP_OF&& first_tap_of)
      : window_(window),
        channels_of_tile_(TILE::kLineElements % window.channels),
        taps_of_tile_(TILE::kLineElements / window.channels % window.filter_width),
        rows_of_tile_(TILE::kLineElements / window.channels / window.filter_width),
        planes_of_tile_(kVolumes ? rows_of_tile_ / window.filter_height : 0),
        depth_left_(last_k - first_k - run() * VECTOR) {
    const int k = first_k + run() * VECTOR;
    const int tap = ONE_TAP ? 0 : k / window.channels;
    channel_ = k - tap * window.channels;
    tap_row_ = ONE_TAP ? 0 : tap / window.filter_width;
    tap_ = tap - tap_row_ * window.filter_width;
    if constexpr (kVolumes) {
      tap_plane_ = tap_row_ / window.filter_height;
      tap_row_ -= tap_plane_ * window.filter_height;
      rows_of_tile_ -= planes_of_tile_ * window.filter_height;
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const FirstTap first = first_tap_of(line(i));
      pixels_[i] = first.batch * (window.height * window.width * (kVolumes ? window.depth : 1));
      if constexpr (ONE_TAP) {
        const int pixel = pixel_at(first.row, first.column, first.plane);
        pixels_[i] = pixel < 0 ? -1 : pixels_[i] + pixel;
      } else {
        rows_[i] = first.row;
        columns_[i] = first.column;
        if constexpr (kVolumes) planes_[i] = first.plane;
      }
    }
  }

  // Begins to copy the next tile to `tile`. It is there after the wait for asynchronous copies.
  __device__ __forceinline__ void start(char* tile) {
    const int down = tap_row_ * window_.dilation_y;
    const int along = tap_ * window_.dilation_x;
    const int behind = kVolumes ? tap_plane_ * window_.dilation_z : 0;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      if (TILE::kLines % kLinesAtOnce != 0 && line(i) >= TILE::kLines) break;
      const int pixel = ONE_TAP ? 0
                                : pixel_at(rows_[i % kKept] + down, columns_[i % kKept] + along,
                                           kVolumes ? planes_[i % kPlanes] + behind : 0);
      const bool exists = depth_left_ > 0 && (ONE_TAP ? pixels_[i] : pixel) >= 0;
      T* const target = reinterpret_cast<T*>(tile + TILE::offset_in_line(line(i), run() * VECTOR));
      const T* const source = window_.image + ((pixels_[i] + pixel) * window_.pitch + channel_);
      if constexpr (KEPT)
        start_kept_copy_or_zeros<VECTOR>(target, source, exists);
      else
        start_copy_or_zeros<VECTOR>(target, source, exists);
    }
    advance();
  }

  __device__ __forceinline__ void finish(char*) const {}

 private:
  static __device__ __forceinline__ int line(int i) {
    return static_cast<int>(threadIdx.x) / kRunsOfLine + i * kLinesAtOnce;
  }
  static __device__ __forceinline__ int run() {
    return static_cast<int>(threadIdx.x) % kRunsOfLine;
  }

  // The pixel of an image that stands in a row, column and plane; less than 0 where that is zero.
  __device__ __forceinline__ int pixel_at(int row, int column, int plane) const {
    const int y = source_index(row, window_.height);
    const int x = source_index(column, window_.width);
    if constexpr (kVolumes) {
      const int z = source_index(plane, window_.depth);
      return kGhostsAreZero && (z < 0 || y < 0 || x < 0)
                 ? -1
                 : (z * window_.height + y) * window_.width + x;
    }
    return kGhostsAreZero && (y < 0 || x < 0) ? -1 : y * window_.width + x;
  }

  // To the same place of the next tile.
  __device__ __forceinline__ void advance() {
    depth_left_ -= TILE::kLineElements;
    if constexpr (ONE_TAP) {
      channel_ += TILE::kLineElements;
    } else {
      channel_ += channels_of_tile_;
      tap_ += taps_of_tile_;
      tap_row_ += rows_of_tile_;
      if (channel_ >= window_.channels) {
        channel_ -= window_.channels;
        ++tap_;
      }
      if (tap_ >= window_.filter_width) {
        tap_ -= window_.filter_width;
        ++tap_row_;
      }
      if constexpr (kVolumes) {
        tap_plane_ += planes_of_tile_;
        if (tap_row_ >= window_.filter_height) {
          tap_row_ -= window_.filter_height;
          ++tap_plane_;
        }
      }
    }
  }

  static constexpr int kKept = ONE_TAP ? 1 : kLoads;
  enum { kPlanes = kVolumes ? kKept : 1 };
  Window<T> window_;
  int channels_of_tile_;  // the length of a tile's line, in planes and rows of taps, taps, channels
  int taps_of_tile_;
  int rows_of_tile_;
  int planes_of_tile_;
  int depth_left_;  // from this thread's ks to the end
  int channel_;     // of the tap
  int tap_;         // of the row of taps
  int tap_row_;
  int tap_plane_ = 0;
  int pixels_[kLoads];  // of the batch, before the image; with ONE_TAP of the tap, or -1
  int rows_[kKept];     // of the first tap
  int columns_[kKept];
  int planes_[kPlanes];
};
