// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The transform of a tile of TILE_ROWS × TILE_COLUMNS real samples by a block, in registers and
// shared memory.
//
// The tile is folded to kRows × kColumns complex values, sample + i · the sample kRows below it.
// Along its columns they are evaluated at the roots of u^kRows = i, along its rows at those of
// u^kColumns = 1 (common/fourier.cuh). Value n of the row-major tile has the index bits  row high |
// row low | column high | column low (4 bits).  There are three passes each way:
//   1  row high (log2(kValues) bits), a thread's values, lanes along a row: from global memory, and
//      to it
//   2  row low and column high, within a warp
//   3  column low, within a warp: 16 values, then the products with the filter's spectrum
// All passes leave values where they found them. The block synchronises twice per tile, between
// passes 1 and 2 each way, and a warp between 2 and 3. Value n lies at n + n / 16 in shared memory,
// which has no bank conflicts in any of the passes.

#include "filter_types.cuh"
#include "fourier.cuh"

using Value = Complex<Sum>;
using PairOfValues = PairOfComplex<Sum>;

constexpr int kRows = TILE_ROWS / 2;
constexpr int kColumns = TILE_COLUMNS;
constexpr int kValues = TERM_VALUES;  // of a thread
constexpr int kThreads = kRows * kColumns / kValues;
constexpr int kRowBits = log2_of(kRows);
constexpr int kColumnBits = log2_of(kColumns);
constexpr int kHigh = log2_of(kValues);         // bits of pass 1
constexpr int kLow = kRowBits - kHigh;          // row bits of pass 2
constexpr int kAcross = kColumnBits - 4;        // column bits of pass 2
constexpr int kMiddle = 1 << (kLow + kAcross);  // values of a transform in pass 2
constexpr int kTurns2 = kValues / kMiddle;      // transforms of a thread in pass 2
constexpr int kTurns3 = kValues / 16;           // in pass 3
static_assert(kLow >= 0 && kLow <= 2, "pass 2 has 0 to 2 row bits");
static_assert(kAcross >= 1 && kTurns2 >= 1 && kTurns3 >= 1, "a thread has whole transforms");
static_assert(kThreads >= 32 && kRowBits + kColumnBits >= kHigh + 5, "warps are whole");

// In shared memory, in values.
constexpr int kTileValues = kRows * kColumns / 16 * kStride;
constexpr int kStep1 = kThreads / 16 * kStride;  // between a thread's values in pass 1

// The table of twiddles, which the spectrum's launch makes: pass 2 down the rows, pass 3, and pass
// 2 back along a row.
constexpr int kDown = kLow == 2 ? 2 : 1;  // of a transform down the rows
constexpr int kTwiddlesDown = kLow == 0 ? 0 : kValues * kDown;
constexpr int kTwiddlesAcross = 8 << kAcross;
constexpr int kBackward = 1 << (kAcross - 1);
constexpr int kTwiddles = kTwiddlesDown + kTwiddlesAcross + 16 * kBackward;
constexpr int kTwiddleRoom = round_up(kTwiddles, 2);  // the spectrum follows, in pairs
static_assert(kTwiddleRoom <= 512, "the manifest has room for so many");

__device__ __forceinline__ Value twiddle(int at) {
  if (at < kTwiddlesDown)
    return forward_twiddle((Sum{0.25} + bit_reversed(at % kValues, kHigh)) / kValues, at / kValues);
  at -= kTwiddlesDown;
  if (at < kTwiddlesAcross)
    return forward_twiddle(
        static_cast<Sum>(bit_reversed(at % (1 << kAcross), kAcross)) / (1 << kAcross),
        at >> kAcross);
  at -= kTwiddlesAcross;
  return inverse_twiddle<Sum>(at % 16, 4, at / 16);
}

// A thread's place in pass 1: its first row, and its column.
struct Seat : SeatInWarp<kValues> {
  int row, column;

  // `turn` spreads warps of columns that nobody needs over all schedulers.
  __device__ __forceinline__ explicit Seat(int turn) {
    constexpr int kWarpsAcross = kColumns / 32;
    row = warp / kWarpsAcross;
    column = (warp + row + turn) % kWarpsAcross * 32 + lane;
  }
  __device__ __forceinline__ int place1() const {
    const int n = row * kColumns + column;
    return n + n / 16;
  }
  // The row high bits of transform `turn` in pass 2.
  __device__ __forceinline__ int high(int turn) const {
    constexpr int kBits = log2_of(kTurns2);
    return turn | (lane / 16) << kBits | warp << (kBits + 1);
  }
};

// Row of the tile of a thread's value `at`, beside its own first row.
__host__ __device__ constexpr int row_of(int at) {
  return at << kLow;
}

// Pass 1 of the folded samples, to shared memory.
__device__ __forceinline__ void transform_rows(Value (&values)[kValues], Value* tile,
                                               const Seat& seat) {
  transform<kTurn / 4, kHigh, 0>(values);
  put(tile + seat.place1(), kStep1, values);
}

// Of transform `turn` of pass 2: forward.
__device__ __forceinline__ void middle_forward(Value* own, const Value* twiddles, int high) {
  Value values[kMiddle];
  take(values, own, kStride);
  if constexpr (kLow > 0) {
    Value down[kDown];
    take(down, twiddles + high, kValues);
    transform<kLow, kAcross>(values, down);
  }
  transform<0, kAcross, 0>(values);
  put(own, kStride, values);
}

// Backward. The rows' low bits have the twiddles of the way there, because they are roots of i.
__device__ __forceinline__ void middle_backward(Value* own, const Value* twiddles,
                                                const Value (&across)[kBackward], int high) {
  Value values[kMiddle];
  take(values, own, kStride);
  inverse<kAcross, 0>(values, across);
  if constexpr (kLow > 0) {
    inverse<kLow, kAcross>(values);
    Value down[kDown];
    take(down, twiddles + high, kValues);
    repeat<kMiddle>([&](auto at) {
      constexpr int kAt = kOf<decltype(at)>;
      constexpr int kRow = kAt >> kAcross;
      if constexpr (kLow == 1 && kRow == 1) values[kAt] = values[kAt] * conjugate(down[0]);
      if constexpr (kLow == 2 && kRow == 1) values[kAt] = values[kAt] * conjugate(down[kDown - 1]);
      if constexpr (kLow == 2 && kRow == 2) values[kAt] = values[kAt] * conjugate(down[0]);
      if constexpr (kLow == 2 && kRow == 3)
        values[kAt] = values[kAt] * conjugate(down[0] * down[kDown - 1]);
    });
  }
  repeat<kMiddle>([&](auto at) {  // columns beyond the step are not needed
    constexpr int kAt = kOf<decltype(at)>;
    if constexpr (kAt % (1 << kAcross) * 16 < TERM_STEP_COLUMNS) own[kAt * kStride] = values[kAt];
  });
}

// What pass 3 does with 16 values on the tile's frequencies.
struct Multiplied {
  const PairOfValues* spectrum;

  __device__ __forceinline__ void operator()(Value (&values)[16], Value* own, int turn) const {
    multiply(values, spectrum + turn * 8 * kThreads, kThreads);
    put(own, 1, values);
  }
};
struct Kept {
  PairOfValues* spectrum;

  __device__ __forceinline__ void operator()(Value (&values)[16], Value* /*own*/, int turn) const {
    keep(values, spectrum + turn * 8 * kThreads, kThreads, Sum{1} / (kRows * kColumns));
  }
};

// Passes 2 and 3 of the warp's own part, and what follows.
template <class FOLLOWING>
__device__ __forceinline__ void transform_inner(Value* tile, const Seat& seat,
                                                const Value* twiddles, const FOLLOWING& following) {
  Value* const own = tile + seat.place2();
#pragma unroll
  for (int turn = 0; turn < kTurns2; ++turn)
    middle_forward(own + turn * kStride * kMiddle, twiddles, seat.high(turn));
  __syncwarp();
  Value row[8];
  take(row, twiddles + kTwiddlesDown + seat.lane % (1 << kAcross), 1 << kAcross);
#pragma unroll
  for (int turn = 0; turn < kTurns3; ++turn) {
    Value* const sixteen = tile + seat.place3() + turn * 16 * kStride;
    Value values[16];
    take(values, sixteen, 1);
    transform<4, 0>(values, row);
    following(values, sixteen, turn);
  }
}

// Pass 2 back.
__device__ __forceinline__ void inverse_inner(Value* tile, const Seat& seat,
                                              const Value* twiddles) {
  __syncwarp();
  Value across[kBackward];
  take(across, twiddles + kTwiddlesDown + kTwiddlesAcross + seat.lane % 16, 16);
#pragma unroll
  for (int turn = 0; turn < kTurns2; ++turn)
    middle_backward(tile + seat.place2() + turn * kStride * kMiddle, twiddles, across,
                    seat.high(turn));
}

// Pass 1 back, from shared memory. Evaluation at roots of i turned each row by an angle of its own.
// Pass 2 undid the part of the row's low bits; this undoes that of the high bits. Then the real
// part is the output of the value's row, and the imaginary part that of kRows below.
__device__ __forceinline__ void inverse_rows(Value (&values)[kValues], const Value* tile,
                                             const Seat& seat) {
  take(values, tile + seat.place1(), kStep1);
  inverse<kHigh, 0>(values);
  repeat<kValues>([&](auto at) {
    constexpr int kAt = kOf<decltype(at)>;
    values[kAt] = turned_by<-(kAt * (kTurn / 4 / kValues))>(values[kAt]);
  });
}
