// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// How the tile of an operand lies in shared memory: POSITIONS of it (64 at a time on the left of a
// multiplication, up to 256 on its right), each with SPANS spans of SPAN_BYTES along K. It consists
// of chunks, each as wide as its swizzle, which is the order that bulk copies write and
// multiplications read. Along K a row has the bytes of a span, and there is one for each position.
// Otherwise there is a row for each k, of as many positions as a box has, CHUNK. Multiplications
// read only elements of 16 bits from such rows. Those of 32 bits go through registers: their rows
// have no swizzle but 8 positions more than the chunk, so that the 8 positions of 4 ks that a warp
// reads at once lie in 32 different banks.

#include "element.cuh"
#include "tensor_map.cuh"

template <class T, int POSITIONS, int SPANS, bool ALONG_K, int CHUNK, int SPAN_BYTES = 128>
struct OperandTile {
  using Element = T;
  static constexpr int kElementBytes = sizeof(T);
  static constexpr int kSpan = SPAN_BYTES / kElementBytes;  // ks
  static constexpr int kDepth = SPANS * kSpan;              // ks
  static constexpr bool kAlongK = ALONG_K;
  static constexpr bool kInRegisters = !ALONG_K && kElementBytes == 4;
  static constexpr int kPadding = kInRegisters ? 8 : 0;
  static constexpr int kChunk = ALONG_K ? kSpan : CHUNK - kPadding;
  static constexpr int kChunks = ALONG_K ? SPANS : POSITIONS / kChunk;
  static constexpr int kRows = ALONG_K ? POSITIONS : kDepth;
  static constexpr int kRowBytes = (kChunk + kPadding) * kElementBytes;
  static constexpr int kGroupBytes = 8 * kRowBytes;  // from eight rows to the next eight
  static constexpr int kChunkBytes = kRows * kRowBytes;
  static constexpr int kBytes = kChunks * kChunkBytes;
  static_assert(ALONG_K || kElementBytes != 1, "types of 8 bits are multiplied along K");
  static_assert(ALONG_K || POSITIONS % kChunk == 0, "a tile has whole chunks");

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
