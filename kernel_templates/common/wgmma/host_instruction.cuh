// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// instruction.cuh for the host device. What is multiplied is found as the hardware finds it: from
// the descriptor alone. So a wrong shift gives wrong sums here, too.

// Included by multiplication.cuh.

// An element as it is multiplied.
template <class SUM, class T>
__device__ __forceinline__ SUM factor(T stored) {
  if constexpr (kSameType<T, float>)
    return __uint_as_float(__float_as_uint(stored) & ~0x1fffU);
  else
    return to<SUM>(stored);
}

// The 32 bytes along K of one position.
template <class SUM, class TILE>
struct HostFactors {
  static constexpr int kCount = kStepBytes / TILE::kElementBytes;
  SUM value[kCount];

  HostFactors(unsigned long long descriptor, int position) {
    const auto field = [&](int bit) {
      return static_cast<unsigned>(descriptor >> bit & 0x3fff) << 4;
    };
    const unsigned row_bytes = 256U >> (descriptor >> 62);
    const unsigned chunk = row_bytes / TILE::kElementBytes;
    const unsigned at = static_cast<unsigned>(position);
    for (unsigned k = 0; k < kCount; ++k) {
      const unsigned across = TILE::kAlongK ? at : k;
      const unsigned along = TILE::kAlongK ? k : at % chunk;
      const unsigned place = field(0) + (TILE::kAlongK ? 0 : at / chunk * field(16)) +
                             across / 8 * field(32) + across % 8 * row_bytes +
                             along * TILE::kElementBytes;
      const unsigned char* const found =
          shared + (place ^ (place >> 3 & (row_bytes / 16 - 1) << 4));
      value[k] = factor<SUM>(*reinterpret_cast<const typename TILE::Element*>(found));
    }
  }
};

// A left operand that goes through registers is read when it is multiplied.
struct Fragment {
  const unsigned char* tile;
  int position;
  int k;
};
template <class TILE>
Fragment fragment(const unsigned char* tile, int position, int k) {
  return {tile, position, k};
}

template <int COLUMNS>
struct Instruction {
  template <class LEFT, class RIGHT, class SUM>
  static void run(SUM (&d)[COLUMNS / 2], unsigned long long left, unsigned long long right,
                  int add) {
    using Left = HostFactors<SUM, LEFT>;
    const Left of_left[2] = {Left(left, left_position(0)), Left(left, left_position(1))};
    multiply<RIGHT>(d, of_left, right, add);
  }
  template <class LEFT, class RIGHT, class SUM>
  static void run(SUM (&d)[COLUMNS / 2], const Fragment& left, unsigned long long right, int add) {
    struct {
      SUM value[kStepBytes / LEFT::kElementBytes];
    } of_left[2];
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < kStepBytes / LEFT::kElementBytes; ++k)
        of_left[i].value[k] = factor<SUM>(*reinterpret_cast<const typename LEFT::Element*>(
            left.tile + LEFT::place(left.position + left_position(i), left.k + k)));
    multiply<RIGHT>(d, of_left, right, add);
  }

 private:
  static int left_position(int half) {
    const int thread = static_cast<int>(threadIdx.x) % kGroupThreads;
    return thread / 32 * 16 + thread % 32 / 4 + 8 * half;
  }
  template <class RIGHT, class FACTORS, class SUM>
  static void multiply(SUM (&d)[COLUMNS / 2], const FACTORS (&left)[2], unsigned long long right,
                       int add) {
    for (int i = 0; i < COLUMNS / 4; ++i) {
      const int position = i / 2 * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + i % 2;
      const HostFactors<SUM, RIGHT> of_right(right, position);
      for (int half = 0; half < 2; ++half) {
        SUM sum = 0;
        for (int k = 0; k < of_right.kCount; ++k) sum += left[half].value[k] * of_right.value[k];
        SUM& part = d[i / 2 * 4 + half * 2 + i % 2];
        part = sum + (add != 0 ? part : 0);
      }
    }
  }
};
