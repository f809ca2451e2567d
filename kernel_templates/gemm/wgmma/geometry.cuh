// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What of a tile lies where. A multiplication takes 64 positions of one operand, the left one, and
// up to 256 of the other, the right one: A and B, or B and A if they are swapped. A stage of the
// ring holds a tile of each, SPANS_K times 128 bytes along K.

#include "bulk_copy.cuh"
#include "types.cuh"

static_assert(sizeof(ElementA) == sizeof(ElementB), "both operands have elements of one size");

constexpr bool kSwapped = SWAPPED == SWAPPED_YES;
constexpr bool kPingPong = SCHEDULE == SCHEDULE_PINGPONG;
constexpr bool kPackedA = TERM_PACKS_A;
constexpr bool kPackedB = TERM_PACKS_B;
constexpr bool kAlongKA = kPackedA || PROBLEM_TRANSPOSE_A == TRANSPOSE_A_NO;   // neighbours in
constexpr bool kAlongKB = kPackedB || PROBLEM_TRANSPOSE_B == TRANSPOSE_B_YES;  // memory are ks

constexpr int kElementBytes = sizeof(ElementA);
constexpr int kSpan = 128 / kElementBytes;      // ks
constexpr int kBlockK = SPANS_K * kSpan;        // ks of a stage
constexpr int kMultiplyK = 32 / kElementBytes;  // ks of a multiplication

constexpr int kGroupThreads = 128;  // a warp group: the first one loads, the others multiply
constexpr int kConsumers = SCHEDULE == SCHEDULE_SINGLE ? 1 : 2;
constexpr int kThreads = (1 + kConsumers) * kGroupThreads;
constexpr int kConsumerThreads = kConsumers * kGroupThreads;
constexpr int kClusterParts = REDUCTION == REDUCTION_CLUSTER ? SPLIT_K : 1;  // of K
constexpr int kCluster = CLUSTER_M * CLUSTER_N * kClusterParts;

// Consumers share the left positions of a tile, or with ping-pong take whole tiles in turn.
constexpr int kColumns = TERM_RIGHT;  // of a multiplication
constexpr int kLeft = kPingPong ? TERM_LEFT : TERM_LEFT / kConsumers;
constexpr int kBands = kLeft / 64;  // multiplications side by side
static_assert(kLeft % 64 == 0, "a consumer has a multiple of 64 left positions");

// How a tile of EXTENT positions lies in a stage: in chunks, each as wide as its swizzle, which is
// the order that bulk copies write and multiplications read. Along K a row has the 128 bytes of a
// span, and there is one for each position. Otherwise there is a row for each k, of as many
// positions as a box has, CHUNK. Multiplications read only elements of 16
// bits from such rows. Those of 32 bits go through registers: their rows have no swizzle but 8
// positions more than the chunk, so that the 8 positions of 4 ks that a warp reads at once lie in
// 32 different banks.
template <int EXTENT, bool ALONG_K, int CHUNK>
struct OperandTile {
  static constexpr bool kAlongK = ALONG_K;
  static constexpr bool kInRegisters = !ALONG_K && kElementBytes == 4;
  static constexpr int kPadding = kInRegisters ? 8 : 0;
  static constexpr int kChunk = ALONG_K ? kSpan : CHUNK - kPadding;
  static constexpr int kChunks = ALONG_K ? SPANS_K : EXTENT / kChunk;
  static constexpr int kRows = ALONG_K ? EXTENT : kBlockK;
  static constexpr int kRowBytes = (kChunk + kPadding) * kElementBytes;
  static constexpr int kChunkBytes = kRows * kRowBytes;
  static constexpr int kBytes = kChunks * kChunkBytes;
  static_assert(ALONG_K || kElementBytes != 1, "types of 8 bits are multiplied along K");
  static_assert(ALONG_K || EXTENT % kChunk == 0, "a tile has whole chunks");

  // Where the element is, in bytes, but for the swizzle.
  static __device__ __forceinline__ constexpr unsigned offset(int position, int k) {
    const int along = ALONG_K ? k : position;
    const int across = ALONG_K ? position : k;
    return static_cast<unsigned>(along / kChunk * kChunkBytes + across * kRowBytes +
                                 along % kChunk * kElementBytes);
  }
  // With it.
  static __device__ __forceinline__ constexpr unsigned place(int position, int k) {
    constexpr int kSwizzle = kInRegisters ? 0 : kRowBytes;
    return swizzled<kSwizzle>(offset(position, k));
  }
};

using TileA = OperandTile<BLOCK_M, kAlongKA, TERM_CHUNK_A>;
using TileB = OperandTile<BLOCK_N, kAlongKB, TERM_CHUNK_B>;
using LeftTile = typename Choose<kSwapped, TileB, TileA>::Type;
using RightTile = typename Choose<kSwapped, TileA, TileB>::Type;
static_assert(!RightTile::kInRegisters, "only the left operand may be in registers");

// Shared memory: the ring, then two boxes of each consumer on their way to C, then barriers. A
// split product's sums lie where the ring was.
constexpr int kStageBytes = TileA::kBytes + TileB::kBytes;
static_assert(STAGES * kStageBytes <= TERM_RING_BYTES, "the ring has room for its stages");

extern __shared__ __align__(1024) unsigned char shared[];

struct Stage {
  int number;

  __device__ __forceinline__ unsigned char* a() const { return shared + number * kStageBytes; }
  __device__ __forceinline__ unsigned char* b() const { return a() + TileA::kBytes; }
  __device__ __forceinline__ unsigned char* left() const { return kSwapped ? b() : a(); }
  __device__ __forceinline__ unsigned char* right() const { return kSwapped ? a() : b(); }
  __device__ __forceinline__ BulkBarrier* filled() const {
    return reinterpret_cast<BulkBarrier*>(shared + TERM_RING_BYTES + TERM_BOXES_BYTES) + number;
  }
  __device__ __forceinline__ BulkBarrier* emptied() const { return filled() + STAGES; }
};

// A place in the ring. All who walk along it start at the same stage; the parity changes with each
// lap.
struct RingPlace {
  Stage stage = {0};
  unsigned parity = 0;

  __device__ __forceinline__ void advance() {
    if (++stage.number == STAGES) {
      stage.number = 0;
      parity ^= 1;
    }
  }
  // By `steps` at once.
  __device__ __forceinline__ void skip(int steps) {
    const int number = stage.number + steps % STAGES;
    parity ^= static_cast<unsigned>(steps / STAGES + number / STAGES) & 1;
    stage.number = number % STAGES;
  }
};
