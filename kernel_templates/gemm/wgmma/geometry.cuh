// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What of a tile lies where. A multiplication takes 64 positions of one operand, the left one, and
// up to 256 of the other, the right one: A and B, or B and A if they are swapped. A stage of the
// ring holds a tile of each, SPANS_K times 128 bytes along K.

#if SWAPPED == SWAPPED_YES
#define WGMMA_LEFT TYPE_B
#define WGMMA_RIGHT TYPE_A
#else
#define WGMMA_LEFT TYPE_A
#define WGMMA_RIGHT TYPE_B
#endif
#include "block.cuh"
#include "types.cuh"

static_assert(sizeof(ElementA) == sizeof(ElementB), "both operands have elements of one size");

constexpr bool kSwapped = SWAPPED == SWAPPED_YES;
constexpr bool kPackedA = TERM_PACKS_A;
constexpr bool kPackedB = TERM_PACKS_B;
constexpr bool kAlongKA = kPackedA || PROBLEM_TRANSPOSE_A == TRANSPOSE_A_NO;   // neighbours in
constexpr bool kAlongKB = kPackedB || PROBLEM_TRANSPOSE_B == TRANSPOSE_B_YES;  // memory are ks

using TileA = OperandTile<ElementA, BLOCK_M, SPANS_K, kAlongKA, TERM_CHUNK_A>;
using TileB = OperandTile<ElementB, BLOCK_N, SPANS_K, kAlongKB, TERM_CHUNK_B>;
constexpr int kStageBytes = TileA::kBytes + TileB::kBytes;
static_assert(STAGES * kStageBytes <= TERM_RING_BYTES, "the ring has room for its stages");

// As products.cuh and block.cuh want it. Consumers share the left positions of a tile, or with
// ping-pong take whole tiles in turn. In shared memory the ring is first, then two boxes of each
// consumer on their way to C, then barriers. A split product's sums lie where the ring was.
struct Pipeline {
  using Ring = ::Ring<STAGES, kStageBytes, TERM_RING_BYTES + TERM_BOXES_BYTES>;
  using Place = ClusterPlace<CLUSTER_M, CLUSTER_N, REDUCTION == REDUCTION_CLUSTER ? SPLIT_K : 1>;
  using Left = typename Choose<kSwapped, TileB, TileA>::Type;
  using Right = typename Choose<kSwapped, TileA, TileB>::Type;
  using Sum = ::Sum;
  static constexpr int kAtB = TileA::kBytes;  // in a stage, behind A
  static constexpr int kLeftAt = kSwapped ? kAtB : 0;
  static constexpr int kRightAt = kSwapped ? 0 : kAtB;
  static constexpr int kLoaders = 1;
  static constexpr int kConsumers = SCHEDULE == SCHEDULE_SINGLE ? 1 : 2;
  static constexpr bool kPingPong = SCHEDULE == SCHEDULE_PINGPONG;
  static constexpr int kLeft = kPingPong ? TERM_LEFT : TERM_LEFT / kConsumers;
  static constexpr int kBands = kLeft / 64;
  static constexpr int kColumns = TERM_RIGHT;
  static constexpr int kParts = SPLIT_K;
  static constexpr int kAtOnce = TERM_RIGHT;
  static constexpr int kInFlight = IN_FLIGHT;
  // One stage in flight would not keep the tensor cores busy meanwhile, and split sums are not
  // stored before all are there.
  static constexpr int kLag =
      SCHEDULE == SCHEDULE_COOPERATIVE && SPLIT_K == 1 && IN_FLIGHT == 2 ? STAGES - 1 : 0;
  static __device__ __forceinline__ float* flag() {
    return reinterpret_cast<float*>(shared + TERM_FLAG_AT);
  }
  static __device__ __forceinline__ Corner corner(int consumer) {
    return {kPingPong ? 0 : consumer * kLeft, 0};
  }
  static_assert(kLeft % 64 == 0, "a consumer has a multiple of 64 left positions");
  static_assert(!Right::kInRegisters, "only the left operand may be in registers");
};
