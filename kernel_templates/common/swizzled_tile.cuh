// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// A factor's tile in shared memory, made of units of 16 bytes.

// The greatest power of two that divides `count`, 8 at most.
__host__ __device__ constexpr int common_power(int count) {
  return count % 8 == 0 ? 8 : count % 4 == 0 ? 4 : count % 2 == 0 ? 2 : 1;
}

// EXTENT positions (rows of op(A), columns of op(B)) of DEPTH ks. With ALONG_K a line of the tile
// has the ks of one position, else the positions of one k. The units of a line are exchanged
// depending on the line, so that the units at one place of eight lines one after the other, which
// ldmatrix reads at once, lie in eight different groups of banks. ldmatrix cannot transpose
// elements of four bytes, and splits those of eight; of these, two units of four lines are read at
// once.
template <class T, int EXTENT, int DEPTH, bool ALONG_K>
struct SwizzledTile {
  using Element = T;
  static constexpr bool kAlongK = ALONG_K;
  static constexpr int kLines = ALONG_K ? EXTENT : DEPTH;
  static constexpr int kLineElements = ALONG_K ? DEPTH : EXTENT;
  static constexpr int kLineBytes = kLineElements * static_cast<int>(sizeof(T));
  static constexpr int kBytes = kLines * kLineBytes;
  static constexpr int kElementsOfUnit = 16 / static_cast<int>(sizeof(T));
  static_assert(kLineBytes % 32 == 0, "a line has whole units, an even number of them");

  // Where element `element` of line `line` lies, in bytes.
  static __device__ __forceinline__ int offset_in_line(int line, int element) {
    constexpr int kExchanged = common_power(kLineBytes / 16);
    const int byte = element * static_cast<int>(sizeof(T));
    constexpr int kTogether = sizeof(T) == 8 || (!ALONG_K && sizeof(T) == 4) ? 2 : 1;
    const int exchange = line / (8 / kExchanged) % (kExchanged / kTogether) * kTogether;
    return line * kLineBytes + (byte / 16 ^ exchange) * 16 + byte % 16;
  }
  static __device__ __forceinline__ int offset(int position, int k) {
    return ALONG_K ? offset_in_line(position, k) : offset_in_line(k, position);
  }

  // What lies `positions` and `ks` further than what lies at `offset`. Both are constants: across
  // lines a multiple of eight (of elements of eight bytes, four), along them of 32 bytes, and added
  // to the place in the line they carry nothing to the units that are exchanged.
  static __device__ __forceinline__ int moved(int offset, int positions, int ks) {
    constexpr int kExchangedBytes = 16 * common_power(kLineBytes / 16);
    const int along = (ALONG_K ? ks : positions) * static_cast<int>(sizeof(T));
    const int across = ALONG_K ? positions : ks;
    return (offset ^ along % kExchangedBytes) + along / kExchangedBytes * kExchangedBytes +
           across * kLineBytes;
  }
};
