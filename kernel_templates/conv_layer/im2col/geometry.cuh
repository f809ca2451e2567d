// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What of a tile lies where. A layer is a product: rows are the pixels of the output, columns its
// channels, K is the taps of a filter with all channels of each, in chunks. A stage of the ring
// holds SPANS_K chunks of pixels, each for one tap, and the same chunks of filters.

#define WGMMA_LEFT TYPE
#define WGMMA_RIGHT TYPE
#include "block.cuh"
#include "types.cuh"

constexpr bool kSwapped = SWAPPED == SWAPPED_YES;

using PixelTile = OperandTile<Element, BLOCK_M, SPANS_K, true, 0, CHUNK_BYTES>;
using FilterTile = OperandTile<Element, BLOCK_N, SPANS_K, true, 0, CHUNK_BYTES>;
constexpr int kChunk = PixelTile::kSpan;  // channels
constexpr int kStageBytes = PixelTile::kBytes + FilterTile::kBytes;
static_assert(STAGES * kStageBytes <= TERM_RING_BYTES, "the ring has room for its stages");

// As products.cuh and block.cuh want it. Consumers share the left positions of a tile, or with
// ping-pong take whole tiles in turn. In shared memory the ring is first, then two boxes of each
// consumer on their way to the output, then barriers. A split product's sums lie where the ring
// was.
struct Pipeline {
  using Ring = ::Ring<STAGES, kStageBytes, TERM_RING_BYTES + TERM_BOXES_BYTES>;
  using Place = ClusterPlace<CLUSTER_M, 1, REDUCTION == REDUCTION_CLUSTER ? SPLIT_K : 1>;
  using Left = typename Choose<kSwapped, FilterTile, PixelTile>::Type;
  using Right = typename Choose<kSwapped, PixelTile, FilterTile>::Type;
  using Sum = ::Sum;
  static constexpr int kFiltersAt = PixelTile::kBytes;  // in a stage, behind the pixels
  static constexpr int kLeftAt = kSwapped ? kFiltersAt : 0;
  static constexpr int kRightAt = kSwapped ? 0 : kFiltersAt;
  static constexpr int kLoaders = 2;
  static constexpr int kConsumers = SCHEDULE == SCHEDULE_SINGLE  ? 1
                                    : SCHEDULE == SCHEDULE_THREE ? 3
                                                                 : 2;
  static constexpr bool kPingPong = SCHEDULE == SCHEDULE_PINGPONG;
  static constexpr int kLeft = kPingPong ? TERM_LEFT : TERM_LEFT / kConsumers;
  static constexpr int kBands = kLeft / 64;
  static constexpr int kColumns = TERM_RIGHT;
  static constexpr int kAtOnce = TERM_RIGHT / PIECES;
  static constexpr int kParts = SPLIT_K;
  static constexpr int kInFlight = IN_FLIGHT;
  // As in gemm/wgmma.
  static constexpr int kLag =
      SCHEDULE == SCHEDULE_COOPERATIVE && SPLIT_K == 1 && IN_FLIGHT == 2 ? STAGES - 1 : 0;
  static __device__ __forceinline__ Corner corner(int consumer) {
    return {kPingPong ? 0 : consumer * kLeft, 0};
  }
  static_assert(kLeft % 64 == 0, "a consumer has a multiple of 64 left positions");
};
