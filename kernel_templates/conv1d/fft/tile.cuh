// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The transform of tiles of TILE real samples by a block of 256 threads, in registers and shared
// memory.
//
// A tile is folded to kHalf complex values, sample + i · the sample kHalf behind it, which are
// evaluated at the roots of u^kHalf = i (common/fourier.cuh). A block has kValues values a thread,
// in one tile or in several. The index of a value has the bits  tile | high | middle (4 bits) | low
// (4 bits).  There are three passes each way:
//   1  high, a thread's kValues values: from global memory, and to it
//   2  middle, within a warp
//   3  low, within a warp, then the products with the filter's spectrum
// Values stay where they are, n at n + n / 16 in shared memory, which has no bank conflicts.
// The block synchronises twice per tile.

#include "filter_types.cuh"
#include "fourier.cuh"

using Value = Complex<Sum>;
using PairOfValues = PairOfComplex<Sum>;

constexpr int kThreads = 256;
constexpr int kHalf = TILE / 2;
constexpr int kHigh = log2_of(kHalf) - 8;  // bits of pass 1
constexpr int kValues = TERM_VALUES;       // of a thread
constexpr int kTiles = kValues * kThreads / kHalf;
constexpr int kTurns = kValues / 16;  // transforms of a thread in passes 2 and 3
constexpr int kSixteens = kHalf / 16;
static_assert(kHigh >= 0 && kValues <= 32, "a tile has 512 to 16384 samples");

// In shared memory, in values.
constexpr int kTileValues = kValues * kThreads / 16 * kStride;

// The table of twiddles, which the spectrum's launch makes: passes 2 and 3, back through 2 and 1,
// and the turns of a thread's first value at the end.
constexpr int kMiddleAt = 0;
constexpr int kLowAt = kMiddleAt + (8 << kHigh);
constexpr int kMiddleBackAt = kLowAt + 8 * kSixteens;
constexpr int kHighBackAt = kMiddleBackAt + 8 * 16;
constexpr int kHighBack = kHigh > 0 ? 1 << (kHigh - 1) : 0;
constexpr int kEndAt = kHighBackAt + kHighBack * kThreads;
constexpr int kTwiddles = kEndAt + kThreads;
constexpr int kTwiddleRoom = round_up(kTwiddles, 2);  // the spectrum follows, in pairs

__device__ __forceinline__ Value twiddle(int at) {
  const auto forward = [](int place, int bits, int number) {
    const Sum branch = static_cast<Sum>(bit_reversed(place, bits)) + Sum{0.25};
    return forward_twiddle(branch / (1 << bits), number);
  };
  if (at < kLowAt) return forward(at % (1 << kHigh), kHigh, at >> kHigh);
  if (at < kMiddleBackAt)
    return forward((at - kLowAt) % kSixteens, kHigh + 4, (at - kLowAt) / kSixteens);
  if (at < kHighBackAt)
    return inverse_twiddle<Sum>((at - kMiddleBackAt) % 16, 4, (at - kMiddleBackAt) / 16);
  if (at < kEndAt)
    return inverse_twiddle<Sum>((at - kHighBackAt) % kThreads, 8, (at - kHighBackAt) / kThreads);
  return root(-static_cast<Sum>(at - kEndAt) / (4 * kHalf));
}

struct Seat : SeatInWarp<kValues> {
  __device__ __forceinline__ int place1() const { return thread + thread / 16; }
  // The bits above the middle of transform `turn` of passes 2 and 3, without those of the tile.
  __device__ __forceinline__ int high(int turn) const {
    constexpr int kBits = log2_of(kTurns);
    return (turn | lane / 16 << kBits | warp << (kBits + 1)) % (1 << kHigh);
  }
};

// Pass 1 of the folded samples, to shared memory.
__device__ __forceinline__ void transform_high(Value (&values)[kValues], Value* tile,
                                               const Seat& seat) {
  transform<kTurn / 4, kHigh, 0>(values);
  put(tile + seat.place1(), kThreads / 16 * kStride, values);
}

// What pass 3 does with 16 values on the tile's frequencies, the `place`th.
struct Multiplied {
  const PairOfValues* spectrum;

  __device__ __forceinline__ void operator()(Value (&values)[16], Value* own, int place) const {
    multiply(values, spectrum + place, kSixteens);
    put(own, 1, values);
  }
};
struct Kept {
  PairOfValues* spectrum;

  __device__ __forceinline__ void operator()(Value (&values)[16], Value* /*own*/, int place) const {
    keep(values, spectrum + place, kSixteens, Sum{1} / kHalf);
  }
};

// Passes 2 and 3 of the warp's own part, and what follows.
template <class FOLLOWING>
__device__ __forceinline__ void transform_inner(Value* tile, const Seat& seat,
                                                const Value* twiddles, const FOLLOWING& following) {
#pragma unroll
  for (int turn = 0; turn < kTurns; ++turn) {
    Value* const own = tile + seat.place2() + turn * 16 * kStride;
    Value values[16];
    Value own_twiddles[8];
    take(own_twiddles, twiddles + kMiddleAt + seat.high(turn), 1 << kHigh);
    take(values, own, kStride);
    transform<4, 0>(values, own_twiddles);
    put(own, kStride, values);
  }
  __syncwarp();
#pragma unroll
  for (int turn = 0; turn < kTurns; ++turn) {
    Value* const own = tile + seat.place3() + turn * 16 * kStride;
    const int place = seat.lane % 16 + 16 * seat.high(turn);
    Value values[16];
    Value own_twiddles[8];
    take(own_twiddles, twiddles + kLowAt + place, kSixteens);
    take(values, own, 1);
    transform<4, 0>(values, own_twiddles);
    following(values, own, place);
  }
}

// Pass 2 back.
__device__ __forceinline__ void inverse_inner(Value* tile, const Seat& seat,
                                              const Value* twiddles) {
  __syncwarp();
  Value back[8];
  take(back, twiddles + kMiddleBackAt + seat.lane % 16, 16);
#pragma unroll
  for (int turn = 0; turn < kTurns; ++turn) {
    Value* const own = tile + seat.place2() + turn * 16 * kStride;
    Value values[16];
    take(values, own, kStride);
    inverse<4, 0>(values, back);
    put(own, kStride, values);
  }
}

// Pass 1 back, from shared memory, and the turn of each sample by which it was evaluated at roots
// of i. Then the real part is an output, and the imaginary part the one kHalf behind it.
__device__ __forceinline__ void inverse_high(Value (&values)[kValues], const Value* tile,
                                             const Seat& seat, const Value* twiddles) {
  take(values, tile + seat.place1(), kThreads / 16 * kStride);
  if constexpr (kHigh > 0) {
    Value back[kHigh > 0 ? kHighBack : 1];
    take(back, twiddles + kHighBackAt + seat.thread, kThreads);
    inverse<kHigh, 0>(values, back);
  }
  const Value end = twiddles[kEndAt + seat.thread];
  repeat<kValues>([&](auto at) {
    constexpr int kAt = kOf<decltype(at)>;
    constexpr int kRow = kAt % (1 << kHigh);
    values[kAt] = turned_by<-(kRow * (kTurn / 4 >> kHigh))>(values[kAt]) * end;
  });
}
