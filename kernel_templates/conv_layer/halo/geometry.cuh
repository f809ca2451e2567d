// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What of a tile lies where. The left operand is filters: 64 · CHANNEL_BANDS output channels with
// one chunk of one tap. The right operand is pixels of the output, PIXELS in each of ACROSS
// multiplications. For one chunk of channels, all taps read the same pixels of the image in shared
// memory, each shifted by as many rows of CHUNK_BYTES as it lies further on.
//
// A tile (SHAPE) is a rectangle, 8 columns wide for each of ACROSS and LEFT_ROWS · PIXELS / 8 rows
// high; what it reads is a box. Or it is PIXELS · ACROSS places of a line: the rows of an image one
// behind the other, TERM_LINE_WIDTH apart, because each has a margin that it shares with the next
// one. So few places of a tile are wasted, whatever the width of an image.
//
// With strides, a convolution is the sum of several without, its phases: phase (x, y) has every
// PROBLEM_STRIDE_X-th column of taps from x on, and every PROBLEM_STRIDE_Y-th row from y on, and
// meets only that part of the image. So its taps are neighbours there. The first phase has most
// taps.

#define WGMMA_LEFT TYPE
#define WGMMA_RIGHT TYPE
#include "block.cuh"
#include "types.cuh"

constexpr bool kIsLine = SHAPE == SHAPE_LINE;
constexpr bool kPingPong = SCHEDULE == SCHEDULE_PINGPONG;
constexpr int kConsumers = SCHEDULE == SCHEDULE_SINGLE ? 1 : 2;
constexpr int kThreads = (1 + kConsumers) * kGroupThreads;
constexpr int kTilePixels = PIXELS * ACROSS;  // of one of LEFT_ROWS rows
constexpr int kTileRows = LEFT_ROWS * PIXELS / 8;

// With several LEFT_ROWS, a band has that many rows of the output with a part of 64 channels each,
// and a tap row is one that any of them meets: its filters are those of the row that it is for each
// of them, or zeros (spreading.cuh). With groups, a band has the channels of several, and each of
// its filters has zeros for the channels of the image that are of other groups. So a band has
// channels of its own of the image, TERM_GROUPED_CHANNELS; without groups all bands share all.
constexpr int kRowChannels = 64 / LEFT_ROWS;
constexpr int kTapRows = PROBLEM_FILTER_HEIGHT + LEFT_ROWS - 1;
constexpr int kTaps = PROBLEM_FILTER_WIDTH * kTapRows;
constexpr int kTileChannels = LEFT_ROWS == 1 ? 64 * CHANNEL_BANDS : kRowChannels;
constexpr bool kGrouped = PROBLEM_GROUPS > 1;
static_assert(LEFT_ROWS == 1 || (!kIsLine && CHANNEL_BANDS == 1 && PROBLEM_DILATION_Y == 1 &&
                                 PROBLEM_STRIDE_Y == 1),
              "several rows are those of one band");
static_assert(!kGrouped || CHANNEL_BANDS == 1, "each band has other channels of the image");

struct Phase {
  // An enumeration, because constants would be data in the compiled code.
  enum {
    kAcross = PROBLEM_STRIDE_X < PROBLEM_FILTER_WIDTH ? PROBLEM_STRIDE_X : PROBLEM_FILTER_WIDTH,
    kDown = PROBLEM_STRIDE_Y < kTapRows ? PROBLEM_STRIDE_Y : kTapRows,
    kCount = kAcross * kDown
  };

  int column;  // of the first of its taps
  int row;

  __device__ __forceinline__ constexpr explicit Phase(int number)
      : column(number % kAcross), row(number / kAcross) {}
  __device__ __forceinline__ constexpr int columns() const {
    return (PROBLEM_FILTER_WIDTH - column + kAcross - 1) / kAcross;
  }
  __device__ __forceinline__ constexpr int taps() const {
    return (kTapRows - row + kDown - 1) / kDown * columns();
  }
  // The number of one of its taps among those of the filter.
  __device__ __forceinline__ constexpr int in_filter(int tap) const {
    if (kCount == 1) return tap;
    return (row + tap / columns() * kDown) * PROBLEM_FILTER_WIDTH + column +
           tap % columns() * kAcross;
  }
  // Pixels of the box from what its first tap meets to what this tap meets.
  __device__ __forceinline__ constexpr int further(int tap) const {
    return tap / columns() * (PROBLEM_DILATION_Y * TERM_BOX_WIDTH) +
           tap % columns() * PROBLEM_DILATION_X;
  }
};

// Two consumers share the pixels of a tile if there is an even number of multiplications, else its
// channels.
constexpr bool kShares = SCHEDULE == SCHEDULE_COOPERATIVE;
constexpr bool kSharesPixels = kShares && ACROSS % 2 == 0;
constexpr int kOwnAcross = kSharesPixels ? ACROSS / 2 : ACROSS;
constexpr int kOwnBands = kShares && !kSharesPixels ? CHANNEL_BANDS / 2 : CHANNEL_BANDS;
static_assert(!kShares || kSharesPixels || CHANNEL_BANDS % 2 == 0,
              "both consumers have as much to do");

using FilterTile = OperandTile<Element, 64 * CHANNEL_BANDS, 1, true, 0, CHUNK_BYTES>;
constexpr int kChunk = FilterTile::kSpan;  // channels

// Pixels as a multiplication finds them from the place of its first one on, as OperandTile has it.
struct PixelTile {
  using Element = ::Element;
  static constexpr int kElementBytes = sizeof(Element);
  static constexpr int kDepth = kChunk;
  static constexpr bool kAlongK = true;
  static constexpr bool kInRegisters = false;
  static constexpr int kRowBytes = CHUNK_BYTES;
  static constexpr int kChunkBytes = 0;  // there is one chunk
  // From 8 pixels to the next 8: along the line, or down the image.
  static constexpr int kGroupBytes = (kIsLine ? 8 : LEFT_ROWS * TERM_BOX_WIDTH) * CHUNK_BYTES;
  static constexpr int kPieceBytes = (kIsLine ? PIXELS : 8) * CHUNK_BYTES;

  // Of a position that a multiplication begins with.
  static __device__ __forceinline__ constexpr unsigned offset(int position, int k) {
    return static_cast<unsigned>(position / PIXELS * kPieceBytes + k * kElementBytes);
  }
};

// In shared memory: the ring of pixels, that of filters, two boxes of each consumer on their way to
// the output, barriers. With RESIDENT the second ring has all filters and is filled once.
constexpr bool kResident = RESIDENT == RESIDENT_YES;
constexpr int kFiltersAt = PIXEL_STAGES * TERM_PIXEL_BYTES;
constexpr int kBarriersAt = TERM_BOXES_AT + kConsumers * 2 * kBoxBytes;
using PixelRing = Ring<PIXEL_STAGES, TERM_PIXEL_BYTES, kBarriersAt>;
using FilterRing =
    Ring<TERM_FILTER_STAGES, FilterTile::kBytes, kBarriersAt + 16 * PIXEL_STAGES, kFiltersAt>;
static_assert(kFiltersAt + TERM_FILTER_STAGES * FilterTile::kBytes <= TERM_BOXES_AT,
              "there is room for both rings");

using BlockPlace = ClusterPlace<1, 1, 1>;
using OwnSums = Sums<Sum, kOwnBands, PIXELS * kOwnAcross>;

// As products.cuh: what few taps of float8 add up, at most 256 products, goes to sums of whole
// floats.
constexpr bool kPromotes = sizeof(Element) == 1 && kSameType<Sum, float>;
constexpr int kMostInPiece = 256 / kChunk;  // taps
constexpr int kPieces = (Phase(0).taps() + kMostInPiece - 1) / kMostInPiece;
constexpr int kPieceTaps = kPromotes ? (Phase(0).taps() + kPieces - 1) / kPieces : kTaps;

// A tile: its image, where it begins, and its first channel.
struct HaloTile {
  int image;
  int row;      // of the output; of a line, the row that its first place is in
  int column;   // of the output; 0 of a line
  int place;    // in the line
  int channel;  // the first

  __device__ __forceinline__ int first_channel_in() const {
    return kGrouped ? channel / 64 * TERM_GROUPED_CHANNELS : 0;
  }
};

// The tiles of a block: those of the same pixels are neighbours in time.
struct HaloTiles {
  int width;  // of the output
  int height;
  int batch;
  int channels;

  __device__ __forceinline__ int blocks() const {
    return (channels + kTileChannels - 1) / kTileChannels;
  }
  __device__ __forceinline__ int along() const {
    return kIsLine ? ((height - 1) * TERM_LINE_WIDTH + width + kTilePixels - 1) / kTilePixels
                   : (width + 8 * ACROSS - 1) / (8 * ACROSS);
  }
  __device__ __forceinline__ int down() const {
    return kIsLine ? 1 : (height + kTileRows - 1) / kTileRows;
  }
  __device__ __forceinline__ int count() const { return blocks() * along() * down() * batch; }

  __device__ __forceinline__ HaloTile at(int index) const {
    const int of_pixels = index / blocks();
    const int line = of_pixels / along();
    const int number = of_pixels - line * along();
    const int image = line / down();
    const int place = number * kTilePixels;
    return {image, kIsLine ? place / TERM_LINE_WIDTH : (line - image * down()) * kTileRows,
            kIsLine ? 0 : number * 8 * ACROSS, kIsLine ? place : 0,
            (index - of_pixels * blocks()) * kTileChannels};
  }
};
