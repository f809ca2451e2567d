// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Fourier transforms of a few values in a thread's registers, as parts of larger ones.
//
// A transform of 2^B values evaluates their polynomial at the 2^B roots of u^(2^B) = exp(i · phi).
// Each of its B levels splits u^n = w^2 into u^(n/2) = w and u^(n/2) = −w, which takes a butterfly
// (a + w·b, a − w·b). With phi = 0 this is the usual transform. With phi of a quarter turn the
// input of a real transform of twice the size can be folded to half of it, first half + i · second
// half: a real tile needs no unpacking, and its spectrum has as many bytes as it. Forward from the
// natural to the bit-reversed order, inverse back from that: nothing is ever reordered. After:
// Cooley and Tukey, An algorithm for the machine calculation of complex Fourier series, 1965;
// Linzer and Feig, Implementation of efficient FFT algorithms on fused multiply-add architectures,
// 1993 (a butterfly in six of them); Fiduccia, Polynomial evaluation via the division algorithm,
// 1972 (roots by levels).

#include "integers.cuh"

template <class Real>
struct alignas(2 * sizeof(Real)) Complex {
  Real re, im;
};

// Two values side by side: one access of 16 bytes for float, two for double.
template <class Real>
struct alignas(4 * sizeof(Real)) PairOfComplex {
  Complex<Real> value[2];
};

__host__ __device__ constexpr int log2_of(int power) {
  int bits = 0;
  while (1 << bits < power) ++bits;
  return bits;
}

// Loops whose counter is a constant in each turn: f(Constant<0>{}), f(Constant<1>{}), …
template <int N>
struct Constant {
  static constexpr int value = N;
};
template <int FROM, int N, class F>
__device__ __forceinline__ void repeat_from(F& f) {
  if constexpr (FROM < N) {
    f(Constant<FROM>{});
    repeat_from<FROM + 1, N>(f);
  }
}
template <int N, class F>
__device__ __forceinline__ void repeat(F&& f) {
  repeat_from<0, N>(f);
}
template <class COUNTER>
constexpr int kOf = COUNTER::value;

// Angles count in 65 536ths of a turn.
constexpr int kTurn = 65536;
constexpr double kFullCircle = 6.283185307179586476925286766559;

__host__ __device__ constexpr int within_turn(int angle) {
  return (angle % kTurn + kTurn) % kTurn;
}
// An angle is so many quarters, and a rest of at most an eighth of a turn.
__host__ __device__ constexpr int quarters_of(int angle) {
  return (within_turn(angle) + kTurn / 8) / (kTurn / 4) % 4;
}
__host__ __device__ constexpr double rest_of(int angle) {
  const int rest =
      within_turn(angle) - (within_turn(angle) + kTurn / 8) / (kTurn / 4) * (kTurn / 4);
  return kFullCircle * rest / kTurn;
}
// By their series, which for a rest are exact to the last bit of a double.
__host__ __device__ constexpr double sine_of_rest(double x) {
  double sum = 0;
  double term = x;
  for (int i = 1; i < 24; i += 2) {
    sum += term;
    term *= -x * x / ((i + 1) * (i + 2));
  }
  return sum;
}
__host__ __device__ constexpr double cosine_of_rest(double x) {
  double sum = 0;
  double term = 1;
  for (int i = 0; i < 24; i += 2) {
    sum += term;
    term *= -x * x / ((i + 1) * (i + 2));
  }
  return sum;
}

__host__ __device__ constexpr int bit_reversed(int value, int bits) {
  int reversed = 0;
  for (int i = 0; i < bits; ++i) reversed |= (value >> i & 1) << (bits - 1 - i);
  return reversed;
}

// value · i^QUARTERS.
template <int QUARTERS, class Real>
__device__ __forceinline__ Complex<Real> turned(Complex<Real> value) {
  if constexpr (QUARTERS == 0) return value;
  if constexpr (QUARTERS == 1) return {-value.im, value.re};
  if constexpr (QUARTERS == 2) return {-value.re, -value.im};
  return {value.im, -value.re};
}

template <class Real>
__device__ __forceinline__ Complex<Real> operator*(Complex<Real> a, Complex<Real> b) {
  return {fma(a.re, b.re, -a.im * b.im), fma(a.re, b.im, a.im * b.re)};
}
template <class Real>
__device__ __forceinline__ Complex<Real> conjugate(Complex<Real> a) {
  return {a.re, -a.im};
}

// value · exp(i · ANGLE).
template <int ANGLE, class Real>
__device__ __forceinline__ Complex<Real> turned_by(Complex<Real> value) {
  const Complex<Real> near = turned<quarters_of(ANGLE)>(value);
  constexpr double kRest = rest_of(ANGLE);
  if constexpr (kRest == 0) return near;
  constexpr Real kCosine = static_cast<Real>(cosine_of_rest(kRest));
  constexpr Real kSine = static_cast<Real>(sine_of_rest(kRest));
  return {fma(kCosine, near.re, -kSine * near.im), fma(kCosine, near.im, kSine * near.re)};
}

// (a, b) becomes (a + w·b, a − w·b) with w = exp(i · ANGLE): four additions, or six multiply-adds
// with w = cos · (1 + i · tan).
template <int ANGLE, class Real>
__device__ __forceinline__ void butterfly(Complex<Real>& a, Complex<Real>& b) {
  constexpr double kRest = rest_of(ANGLE);
  const Complex<Real> near = turned<quarters_of(ANGLE)>(b);
  if constexpr (kRest == 0) {
    const Complex<Real> sum = {a.re + near.re, a.im + near.im};
    b = {a.re - near.re, a.im - near.im};
    a = sum;
  } else {
    constexpr Real kCosine = static_cast<Real>(cosine_of_rest(kRest));
    constexpr Real kTangent = static_cast<Real>(sine_of_rest(kRest) / cosine_of_rest(kRest));
    const Real re = fma(-kTangent, near.im, near.re);
    const Real im = fma(kTangent, near.re, near.im);
    const Complex<Real> sum = {fma(kCosine, re, a.re), fma(kCosine, im, a.im)};
    b = {fma(-kCosine, re, a.re), fma(-kCosine, im, a.im)};
    a = sum;
  }
}
// The same with w · i^QUARTERS, in six multiply-adds: a − w·b is 2a − (a + w·b).
template <int QUARTERS, class Real>
__device__ __forceinline__ void butterfly_by(Complex<Real>& a, Complex<Real>& b,
                                             Complex<Real> twiddle) {
  const Complex<Real> near = turned<QUARTERS>(b);
  const Complex<Real> sum = {fma(twiddle.re, near.re, fma(-twiddle.im, near.im, a.re)),
                             fma(twiddle.re, near.im, fma(twiddle.im, near.re, a.im))};
  b = {fma(Real{2}, a.re, -sum.re), fma(Real{2}, a.im, -sum.im)};
  a = sum;
}

// The angle of the root of branch `branch` after `level` levels of a transform with this phi.
__host__ __device__ constexpr int angle_at(int phi, int level, int branch) {
  for (int i = level - 1; i >= 0; --i) phi = phi / 2 + ((branch >> i & 1) != 0 ? kTurn / 2 : 0);
  return phi;
}
// Of a thread's twiddles, that of a level's branches 2 · pair and 2 · pair + 1, which differ by a
// quarter turn. A transform of 2^B values has 2^(B − 1).
__host__ __device__ constexpr int twiddle_at(int level, int pair) {
  return (level == 0 ? 0 : 1 << (level - 1)) + pair;
}

// Forward over the bits [LOW, LOW + B) of the index of R values, with a phi that is the same for
// all threads.
template <int PHI, int B, int LOW, int R, class Real>
__device__ __forceinline__ void transform(Complex<Real> (&values)[R]) {
  repeat<B>([&](auto level) {
    repeat<R>([&](auto at) {
      constexpr int kLevel = kOf<decltype(level)>;
      constexpr int kAt = kOf<decltype(at)>;
      constexpr int kBit = LOW + B - 1 - kLevel;
      if constexpr ((kAt >> kBit & 1) == 0) {
        constexpr int kBranch = (kAt >> (kBit + 1)) & ((1 << kLevel) - 1);
        butterfly<angle_at(PHI, kLevel, kBranch) / 2>(values[kAt], values[kAt | 1 << kBit]);
      }
    });
  });
}
// The same with the thread's own phi, which twiddles have: forward_twiddle() says which.
template <int B, int LOW, int R, class Real>
__device__ __forceinline__ void transform(Complex<Real> (&values)[R],
                                          const Complex<Real>* twiddles) {
  repeat<B>([&](auto level) {
    repeat<R>([&](auto at) {
      constexpr int kLevel = kOf<decltype(level)>;
      constexpr int kAt = kOf<decltype(at)>;
      constexpr int kBit = LOW + B - 1 - kLevel;
      if constexpr ((kAt >> kBit & 1) == 0) {
        constexpr int kBranch = (kAt >> (kBit + 1)) & ((1 << kLevel) - 1);
        butterfly_by<(kLevel > 0 ? kBranch & 1 : 0)>(values[kAt], values[kAt | 1 << kBit],
                                                     twiddles[twiddle_at(kLevel, kBranch >> 1)]);
      }
    });
  });
}

// Backward over these bits, as part of an inverse transform of which the lower bits are done,
// without the division by the number of values. These are the lowest bits.
template <int B, int LOW, int R, class Real>
__device__ __forceinline__ void inverse(Complex<Real> (&values)[R]) {
  repeat<B>([&](auto level) {
    repeat<R>([&](auto at) {
      constexpr int kLevel = kOf<decltype(level)>;
      constexpr int kAt = kOf<decltype(at)>;
      constexpr int kBit = LOW + kLevel;
      if constexpr ((kAt >> kBit & 1) == 0) {
        constexpr int kBelow = (kAt >> LOW) & ((1 << kLevel) - 1);
        butterfly<-(kBelow * (kTurn >> (kLevel + 1)))>(values[kAt], values[kAt | 1 << kBit]);
      }
    });
  });
}
// Likewise where other threads had the lower bits: inverse_twiddle() says which twiddles.
template <int B, int LOW, int R, class Real>
__device__ __forceinline__ void inverse(Complex<Real> (&values)[R], const Complex<Real>* twiddles) {
  repeat<B>([&](auto level) {
    repeat<R>([&](auto at) {
      constexpr int kLevel = kOf<decltype(level)>;
      constexpr int kAt = kOf<decltype(at)>;
      constexpr int kBit = LOW + kLevel;
      if constexpr ((kAt >> kBit & 1) == 0) {
        constexpr int kBelow = (kAt >> LOW) & ((1 << kLevel) - 1);
        constexpr int kTop = kLevel > 0 ? kBelow >> (kLevel - 1) & 1 : 0;
        constexpr int kPair = kLevel > 1 ? kBelow & ((1 << (kLevel - 1)) - 1) : 0;
        butterfly_by<kTop == 1 ? 3 : 0>(values[kAt], values[kAt | 1 << kBit],
                                        twiddles[twiddle_at(kLevel, kPair)]);
      }
    });
  });
}

// exp(i · turns · full circle).
__device__ __forceinline__ Complex<float> root(float turns) {
  return {cospif(2.0f * turns), sinpif(2.0f * turns)};
}
__device__ __forceinline__ Complex<double> root(double turns) {
  return {cospi(2.0 * turns), sinpi(2.0 * turns)};
}
// The level of twiddle `at`, and its pair of branches there: what twiddle_at() numbers.
struct TwiddlePlace {
  int level = 0;
  int pair = 0;
  __device__ __forceinline__ explicit TwiddlePlace(int at) {
    while (1 << level <= at) ++level;
    pair = level == 0 ? 0 : at - (1 << (level - 1));
  }
};
// Twiddle `at` of a forward transform with this phi, in turns.
template <class Real>
__device__ __forceinline__ Complex<Real> forward_twiddle(Real phi, int at) {
  const TwiddlePlace place(at);
  Real branch = 0;
  for (int i = place.level - 1; i >= 0; --i)
    branch = branch / 2 + ((place.pair << 1 >> i & 1) != 0 ? Real{0.5} : Real{0});
  return root(phi / static_cast<Real>(2 << place.level) + branch / 2);
}
// Twiddle `at` of an inverse transform of which 2^bits lower values are done, `lower` of them.
template <class Real>
__device__ __forceinline__ Complex<Real> inverse_twiddle(int lower, int bits, int at) {
  const TwiddlePlace place(at);
  return root(-(static_cast<Real>(lower) / static_cast<Real>(2 << (bits + place.level)) +
                static_cast<Real>(place.pair) / static_cast<Real>(2 << place.level)));
}

// Value n of a tile lies at n + n / 16 in shared memory.
constexpr int kStride = 17;  // of 16 values

// Where a thread's first value lies in the passes within a warp, of VALUES for each thread.
template <int VALUES>
struct SeatInWarp {
  int thread, lane, warp;

  __device__ __forceinline__ SeatInWarp()
      : thread(static_cast<int>(threadIdx.x)), lane(thread % 32), warp(thread / 32) {}
  // Pass 2: the values are multiples of 16 apart.
  __device__ __forceinline__ int place2() const { return lane % 16 + half() * VALUES * kStride; }
  // Pass 3: groups of 16 that follow each other.
  __device__ __forceinline__ int place3() const { return (lane % 16 + half() * VALUES) * kStride; }

 private:
  __device__ __forceinline__ int half() const { return thread / 16; }
};

template <class Real, int N>
__device__ __forceinline__ void take(Complex<Real> (&values)[N], const Complex<Real>* from,
                                     int stride) {
#pragma unroll
  for (int i = 0; i < N; ++i) values[i] = from[i * stride];
}
template <class Real, int N>
__device__ __forceinline__ void put(Complex<Real>* to, int stride,
                                    const Complex<Real> (&values)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) to[i * stride] = values[i];
}

// The last step of a forward transform gives 16 values on frequencies of a tile. They are
// multiplied by those of the filter's spectrum, whose pairs lie `stride` apart, and go on backward.
template <class Real>
__device__ __forceinline__ void multiply(Complex<Real> (&values)[16],
                                         const PairOfComplex<Real>* spectrum, int stride) {
  PairOfComplex<Real> factors[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) factors[i] = spectrum[i * stride];
#pragma unroll
  for (int i = 0; i < 16; ++i) values[i] = values[i] * factors[i / 2].value[i % 2];
  inverse<4, 0>(values);
}
// Or they are those of the filter and become the spectrum. Correlation multiplies by the conjugate
// frequencies. `part` is the product of all divisions that inverse transforms leave out.
template <class Real>
__device__ __forceinline__ void keep(const Complex<Real> (&values)[16],
                                     PairOfComplex<Real>* spectrum, int stride, Real part) {
#pragma unroll
  for (int i = 0; i < 16; i += 2)
    spectrum[i / 2 * stride] = {{{part * values[i].re, -part * values[i].im},
                                 {part * values[i + 1].re, -part * values[i + 1].im}}};
}
