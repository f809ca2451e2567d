// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Two threads fill the ring, as far ahead as it has stages: one with pixels, one with filters. In a
// cluster each block loads a share of the filters and sends it to all blocks, which have other
// pixels; a stage is free when the consumers of all of them have left it.

#include "cluster_copy.cuh"
#include "geometry.cuh"
#include "tensor_copy.cuh"
#include "volume.cuh"

// Filters, and how they lie on an image.
struct Taps {
  int width;
  int height;
  int depth;
  int channels;  // of a group
  int stride_x;
  int stride_y;
  int stride_z;
  int dilation_x;
  int dilation_y;
  int dilation_z;
  int padding_x;
  int padding_y;
  int padding_z;

  __device__ __forceinline__ int chunks() const { return (channels + kChunk - 1) / kChunk; }
  __device__ __forceinline__ int steps() const {
    return (width * height * depth * chunks() + SPANS_K - 1) / SPANS_K;
  }
};

// A chunk of channels of one tap. Behind the last tap there are further rows, of volumes further
// planes, which no filter has.
struct Chunk {
  int number;
  int column;
  int row;
  int plane;

  __device__ __forceinline__ Chunk(const Taps& taps, int in_all) {
    const int tap = in_all / taps.chunks();
    number = in_all - tap * taps.chunks();
    const int line = tap / taps.width;
    column = tap - line * taps.width;
    plane = kVolumes ? line / taps.height : 0;
    row = line - plane * taps.height;
  }
  __device__ __forceinline__ void advance(const Taps& taps) {
    if (++number < taps.chunks()) return;
    number = 0;
    if (++column < taps.width) return;
    column = 0;
    ++row;
    if (!kVolumes || row < taps.height) return;
    row = 0;
    ++plane;
  }
  __device__ __forceinline__ bool is_of(const Taps& taps) const {
    return kVolumes ? plane < taps.depth : row < taps.height;
  }
};

class Loader {
 public:
  __device__ __forceinline__ Loader(const TensorMap& map, const Taps& taps)
      : map_(map), taps_(taps) {}

  __device__ __forceinline__ void drain() { ring_.drain(); }

 protected:
  // Starts the next stages with TILE_BYTES each, of which `start(target, chunk, filled)` starts one
  // chunk, whose place in the stage is given.
  template <int TILE_BYTES, class START>
  __device__ __forceinline__ void fill(const Steps& steps, START&& start) {
    Chunk chunk(taps_, steps.first * SPANS_K);
    for (int step = 0; step < steps.count; ++step) {
      const Pipeline::Ring::Stage stage = ring_.stage;
      wait_for_phase(stage.emptied(), ring_.parity ^ 1);
      expect_bytes(stage.filled(), TILE_BYTES);
#pragma unroll
      for (int span = 0; span < SPANS_K; ++span) {
        start(stage.memory() + span * (TILE_BYTES / SPANS_K), chunk, stage.filled());
        chunk.advance(taps_);
      }
      ring_.advance();
    }
  }

  const TensorMap& map_;
  Taps taps_;

 private:
  Pipeline::Ring::Place ring_;
};

// Pixels behind the last one are zeros, and so are all for a tap behind the last one: an infinite
// pixel must not meet the zeros that such a tap has for filters.
class PixelBoxLoader : public Loader {
 public:
  __device__ __forceinline__ PixelBoxLoader(const TensorMap& map, const Taps& taps, int width,
                                            int height, int depth, int batch)
      : Loader(map, taps), width_(width), height_(height), depth_(depth), batch_(batch) {}

  __device__ __forceinline__ void load(const Tile& tile, const Steps& steps) {
    const int first_channel = tile.matrix * taps_.channels;
    const int line = tile.row / width_;
    const int column = (tile.row - line * width_) * taps_.stride_x - taps_.padding_x;
    const int sheet = line / height_;
    const int row = (line - sheet * height_) * taps_.stride_y - taps_.padding_y;
    const int image = kVolumes ? sheet / depth_ : sheet;
    const int plane = (sheet - image * depth_) * taps_.stride_z - taps_.padding_z;
    fill<PixelTile::kBytes>(
        steps, [&](unsigned char* target, const Chunk& chunk, BulkBarrier* filled) {
          const int channel = first_channel + chunk.number * kChunk;
          const bool is_tap = chunk.is_of(taps_);
          if constexpr (TERM_IS_PRODUCT)
            start_box(target, map_, channel, is_tap ? tile.row : width_ * height_ * depth_ * batch_,
                      filled);
          else if constexpr (kVolumes)
            start_pixels(target, map_,
                         {channel, column, row, plane, is_tap ? min(image, batch_) : batch_},
                         {is_tap ? chunk.column * taps_.dilation_x : 0,
                          is_tap ? chunk.row * taps_.dilation_y : 0,
                          is_tap ? chunk.plane * taps_.dilation_z : 0},
                         filled);
          else
            start_pixels(target, map_, {channel, column, row, is_tap ? min(image, batch_) : batch_},
                         {is_tap ? chunk.column * taps_.dilation_x : 0,
                          is_tap ? chunk.row * taps_.dilation_y : 0},
                         filled);
        });
  }

 private:
  int width_;  // of the output
  int height_;
  int depth_;
  int batch_;
};

class FilterLoader : public Loader {
 public:
  __device__ __forceinline__ FilterLoader(const TensorMap& map, const Taps& taps,
                                          int channels_of_group, const Pipeline::Place& place)
      : Loader(map, taps),
        channels_of_group_(channels_of_group),
        share_(place.m),
        blocks_(place.same_column()) {}

  __device__ __forceinline__ void load(const Tile& tile, const Steps& steps) {
    constexpr int kFilters = BLOCK_N / CLUSTER_M;  // of a share
    static_assert(kFilters % 8 == 0, "a share has whole patterns of the swizzle");
    const int first = tile.matrix * channels_of_group_ + tile.column + share_ * kFilters;
    fill<FilterTile::kBytes>(
        steps, [&](unsigned char* target, const Chunk& chunk, BulkBarrier* filled) {
          target += Pipeline::kFiltersAt + share_ * kFilters * FilterTile::kRowBytes;
          const int channel = chunk.number * kChunk;
          const int line = chunk.plane * taps_.height + chunk.row;
          const int tap = line * taps_.width + chunk.column;
          if constexpr (CLUSTER_M == 1)
            start_box(target, map_, channel, first, tap, filled);
          else
            start_box_in_blocks(target, map_, channel, first, tap, filled,
                                static_cast<unsigned short>(blocks_));
        });
  }

 private:
  int channels_of_group_;
  int share_;
  unsigned blocks_;  // of the cluster: a bit for each rank
};
