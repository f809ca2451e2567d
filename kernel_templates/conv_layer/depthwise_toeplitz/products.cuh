// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Products of a row of taps with a row of an image, of eight neighbouring channels, by one warp. A
// product has 16 strips of four outputs each as its rows, two channels of four outputs as its
// columns, and two channels of positions along the row of the image as its ks. So its right factor
// is a Toeplitz matrix for each channel, with zeros where the channels differ. Four products, one
// for each pair of channels, share what a lane reads: the eight channels of a pixel in one access,
// from where they lie, and those of a tap.
//
// Lane l has position l % 4 of four, of strips l / 4 and l / 4 + 8, and of output l / 8. It gets
// the sums of output l % 4 of these strips: all eight channels of two pixels.

#include "channel_tile.cuh"
#include "tensor_core.cuh"

constexpr int kUnit = 8;
constexpr int kTapRows = PROBLEM_FILTER_HEIGHT;
constexpr int kGroups = TERM_GROUPS_OF_POSITIONS;  // of four, which a strip meets in a row
constexpr int kTableWidth = TERM_TABLE_WIDTH;
constexpr int kStripRows = 16 / STRIPS;  // strips lie side by side, and then below
constexpr int kBand = 4 * STRIPS;        // columns of outputs of a product
// Rows of the image that a warp reads for the outputs of its first strip.
constexpr int kWindows = (ROWS - 1) * PROBLEM_STRIDE_Y + (kTapRows - 1) * PROBLEM_DILATION_Y + 1;
using Tile = ChannelTile<kUnit, 1, UNITS, TERM_ROWS_IN, TERM_COLUMNS_IN, TERM_PITCH>;

using Pairs = Run<4, unsigned>;              // eight channels
using WarpSums = float[ACROSS][ROWS][4][4];  // a lane's: a pair of channels, of two pixels

// The column of an output of a strip. With a dilation, the outputs of a strip are as far apart as
// taps are.
__host__ __device__ constexpr int column_of(int strip, int output) {
  return strip / PROBLEM_DILATION_X * (4 * PROBLEM_DILATION_X) + strip % PROBLEM_DILATION_X +
         output * PROBLEM_DILATION_X;
}

// What a lane reads of a tile first, for its first or last strip (`half` is 0 or 1).
__device__ __forceinline__ int pixel_place(int lane, int half) {
  const int strip = lane / 4 + 8 * half;
  return Tile::Order::place(
      strip / STRIPS * (ROWS * PROBLEM_STRIDE_Y), 0,
      column_of(strip % STRIPS, 0) * PROBLEM_STRIDE_X + lane % 4 * PROBLEM_DILATION_X);
}

// Its pixel in a group of positions, `row` rows on, of the band `across`.
__device__ __forceinline__ Pairs read_pixel(const Element* place, int row, int across, int group) {
  return *reinterpret_cast<const Pairs*>(
      place + (row * Tile::Order::kRow +
               (across * kBand * PROBLEM_STRIDE_X + group * 4 * PROBLEM_DILATION_X) * kUnit));
}

// All threads write the taps of the block's channels where Taps reads them: unit after unit, row
// after row, zeros before and behind a row. Of a tap's eight channels the even ones come first.
template <int THREADS>
__device__ __forceinline__ void write_table(Element* table, const Element* filter,
                                            int first_channel, int channels_out) {
  constexpr int kFront = 3 * PROBLEM_STRIDE_X;
#pragma unroll 8
  for (int i = static_cast<int>(threadIdx.x); i < UNITS * kUnit * kTapRows * kTableWidth;
       i += THREADS) {
    const int tap = i % kTableWidth - kFront;
    const int row = i / kTableWidth % kTapRows;
    const int channel = i / (kTableWidth * kTapRows);
    const bool exists =
        tap >= 0 && tap < PROBLEM_FILTER_WIDTH && first_channel + channel < channels_out;
    table[((channel / kUnit * kTapRows + row) * kTableWidth + tap + kFront) * kUnit +
          channel % 2 * 4 + channel % kUnit / 2] =
        exists ? filter[((first_channel + channel) * kTapRows + row) * PROBLEM_FILTER_WIDTH + tap]
               : Element{};
  }
}

// The taps of a unit, from its part of the table or, with FILTERS=registers, kept.
class Taps {
  static constexpr bool kKept = FILTERS == FILTERS_REGISTERS;

 public:
  __device__ __forceinline__ explicit Taps(const Element* table) : table_(table) {}

  // To call once, when the table is written.
  __device__ __forceinline__ void keep() {
    if constexpr (kKept)
#pragma unroll
      for (int row = 0; row < kTapRows; ++row)
#pragma unroll
        for (int group = 0; group < kGroups; ++group)
          kept_[row % kKeptRows][group] = read_for(lane_of_warp(), row, group);
  }

  __device__ __forceinline__ Pairs read(int row, int group) const {
    return kKept ? kept_[row % kKeptRows][group] : read_for(lane_of_warp(), row, group);
  }

  // What a lane has of a row of taps: of each pair the channel of its column, the other one zero.
  __device__ __forceinline__ Pairs read_for(int lane, int row, int group) const {
    const int tap = 4 * group + lane % 4 + (3 - lane / 8) * PROBLEM_STRIDE_X;
    const bool is_odd = lane / 4 % 2 == 1;
    const auto four = *reinterpret_cast<const Run<2, unsigned>*>(
        table_ + (row * kTableWidth + tap) * kUnit + (is_odd ? 4 : 0));
    const unsigned first = is_odd ? 0x1044U : 0x4410U;  // bytes of which the channel is made
    const unsigned last = is_odd ? 0x3244U : 0x4432U;
    Pairs taps;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      taps.value[i] = __byte_perm(four.value[i / 2], 0, i % 2 == 0 ? first : last);
    return taps;
  }

 private:
  static constexpr int kKeptRows = kKept ? kTapRows : 1;
  const Element* table_;
  Pairs kept_[kKeptRows][kGroups];
};

#if defined(__CUDA_ARCH__)

// Products of one group of positions: half of those that tensor_products.cuh has.
__device__ __forceinline__ void add_half_step(float (&sums)[4], unsigned first, unsigned last,
                                              unsigned taps) {
  if constexpr (kSameType<Element, Half>)
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(first), "r"(last), "r"(taps));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(first), "r"(last), "r"(taps));
}

// The left factors of the products of two groups of positions, `group` and the next. The four words
// of a factor come from four accesses, but lie in registers side by side. So each is moved; `all`
// has all bits set, which the compiler does not know, or it would move them before each product.
struct Pixels {
  unsigned words[ACROSS][4][4];  // of each pair of channels

  __device__ __forceinline__ Pixels(const Element* tile, unsigned all, int row, int group) {
#pragma unroll
    for (int across = 0; across < ACROSS; ++across)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (group + i / 2 >= kGroups) continue;
        const Pairs pixel =
            read_pixel(tile + pixel_place(lane_of_warp(), i % 2), row, across, group + i / 2);
#pragma unroll
        for (int pair = 0; pair < 4; ++pair) words[across][pair][i] = pixel.value[pair] & all;
      }
  }

  // Adds to the sums of a row of outputs what they give to it.
  __device__ __forceinline__ void multiply_add(WarpSums& sums, int y, const Taps& taps, int tap_row,
                                               int group) const {
    const bool is_whole = group + 1 < kGroups;
    const Pairs first = taps.read(tap_row, group);
    const Pairs last = is_whole ? taps.read(tap_row, group + 1) : Pairs{};
#pragma unroll
    for (int across = 0; across < ACROSS; ++across)
#pragma unroll
      for (int pair = 0; pair < 4; ++pair) {
        const unsigned(&own)[4] = words[across][pair];
        if (is_whole)
          add_products_of_step<Element, Element>(sums[across][y][pair], own, first.value[pair],
                                                 last.value[pair]);
        else
          add_half_step(sums[across][y][pair], own[0], own[1], first.value[pair]);
      }
  }
};

#else

// Lanes cannot exchange registers on the host device, so each reads what the lanes have that its
// own sums need.
struct Pixels {
  const Element* tile;
  int row;

  Pixels(const Element* from, unsigned, int at, int) : tile(from), row(at) {}

  static float part(const Pairs& pairs, int pair, int side) {
    return to<float>(reinterpret_cast<const Element*>(&pairs.value[pair])[side]);
  }

  void multiply_add(WarpSums& sums, int y, const Taps& taps, int tap_row, int group) const {
    const int lane = lane_of_warp();
    for (int across = 0; across < ACROSS; ++across)
      for (int sum = 0; sum < 4; ++sum)
        for (int k = 0; k < 8 && group + k / 4 < kGroups; ++k) {
          const int strip_lane = lane / 4 * 4 + k % 4;
          const int output_lane = (lane % 4 * 2 + sum % 2) * 4 + k % 4;
          const Pairs pixel =
              read_pixel(tile + pixel_place(strip_lane, sum / 2), row, across, group + k / 4);
          const Pairs tap = taps.read_for(output_lane, tap_row, group + k / 4);
          for (int pair = 0; pair < 4; ++pair)
            for (int side = 0; side < 2; ++side)
              sums[across][y][pair][sum] += part(pixel, pair, side) * part(tap, pair, side);
        }
  }
};

#endif

// Loops over the rows of the image are unrolled where registers hold the taps, and must be then.
constexpr int kUnrolled = FILTERS == FILTERS_REGISTERS ? kWindows : 1;

// The sums of the warp's outputs, from a tile whose first pixel for them is given. `all` has all
// bits set. TOGETHER rows of the image, of which output rows next to each other need the same taps,
// share what is read of these.
__device__ __forceinline__ void add_products(WarpSums& sums, const Element* tile, unsigned all,
                                             const Taps& taps) {
  static_assert(TOGETHER == 1 || (PROBLEM_STRIDE_Y == 1 && PROBLEM_DILATION_Y == 1),
                "rows next to each other meet taps next to each other");
#pragma unroll kUnrolled
  for (int row = 0; row < kWindows; row += TOGETHER)
#pragma unroll
    for (int group = 0; group < kGroups; group += 2) {
      const Pixels pixels(tile, all, row, group);
      // Behind the last row none is needed.
      const Pixels next(tile, all, TOGETHER == 1 ? row : min(row + 1, kWindows - 1), group);
#pragma unroll
      for (int y = 1 - TOGETHER; y < ROWS; ++y) {
        const int down = row - y * PROBLEM_STRIDE_Y;
        const int tap_row = down / PROBLEM_DILATION_Y;
        if (down < 0 || down % PROBLEM_DILATION_Y != 0 || tap_row >= kTapRows) continue;
        if (y >= 0) pixels.multiply_add(sums, y, taps, tap_row, group);
        if (TOGETHER == 2 && y + 1 < ROWS) next.multiply_add(sums, y + 1, taps, tap_row, group);
      }
    }
}
