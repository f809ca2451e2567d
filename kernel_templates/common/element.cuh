// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Numbers as memory holds them, and their way to and from those that are computed with. A kernel
// computes with float, double or int. What is stored in 16 or 8 bits becomes a float or an int,
// exactly. A result is rounded once, to the nearest value, of two that are equally near the even
// one. What is beyond the greatest value becomes infinity, and with 8 bits the greatest value.

#include "target.cuh"

// The names of CUDA's headers that a macro such as TYPE may stand for. The headers themselves are
// not needed, because the types below take their places.
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;

struct Half {
  unsigned short bits;
};
struct BFloat16 {
  unsigned short bits;
};
struct Float8E4M3 {
  unsigned char bits;
};
struct Float8E5M2 {
  unsigned char bits;
};

template <class T>
struct StoredAs {
  using Type = T;
};
template <>
struct StoredAs<__half> {
  using Type = Half;
};
template <>
struct StoredAs<__nv_bfloat16> {
  using Type = BFloat16;
};
template <>
struct StoredAs<__nv_fp8_e4m3> {
  using Type = Float8E4M3;
};
template <>
struct StoredAs<__nv_fp8_e5m2> {
  using Type = Float8E5M2;
};
// What stands in memory for a type that a macro names.
template <class T>
using Stored = typename StoredAs<T>::Type;

// TRUE or FALSE by the condition.
template <bool CONDITION, class TRUE, class FALSE>
struct Choose {
  using Type = TRUE;
};
template <class TRUE, class FALSE>
struct Choose<false, TRUE, FALSE> {
  using Type = FALSE;
};

template <class A, class B>
constexpr bool kSameType = false;
template <class A>
constexpr bool kSameType<A, A> = true;

// What it is computed with: double for double, int for integers, else float.
__device__ __forceinline__ float widened(float value) {
  return value;
}
__device__ __forceinline__ double widened(double value) {
  return value;
}
__device__ __forceinline__ float widened(BFloat16 value) {
  return __uint_as_float(static_cast<unsigned>(value.bits) << 16);
}
__device__ __forceinline__ float widened(Half value) {
  if constexpr (TARGET_ARCHITECTURE > 0) {
    float wide = 0;
    ON_GPU(asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits)));
    return wide;
  }
  const unsigned sign = (value.bits & 0x8000U) << 16;
  const unsigned size = value.bits & 0x7fffU;
  if (size >= 0x7c00U) return __uint_as_float(sign | 0x7f800000U | (size & 0x3ffU) << 13);
  if (size >= 0x400U) return __uint_as_float(sign | ((size << 13) + 0x38000000U));
  return __uint_as_float(sign | __float_as_uint(static_cast<float>(size) * 0x1p-24f));
}

__device__ __forceinline__ float widened(Float8E5M2 value) {  // the upper half of a Half
  return widened(Half{static_cast<unsigned short>(value.bits << 8)});
}
__device__ __forceinline__ float widened(Float8E4M3 value) {
  if constexpr (TARGET_ARCHITECTURE >= 890) {
    unsigned pair = 0;
    ON_GPU(asm("cvt.rn.f16x2.e4m3x2 %0, %1;"
               : "=r"(pair)
               : "h"(static_cast<unsigned short>(value.bits))));
    return widened(Half{static_cast<unsigned short>(pair)});
  }
  const unsigned sign = (value.bits & 0x80U) << 8;
  const unsigned size = value.bits & 0x7fU;
  if (size == 0x7fU) return __uint_as_float(sign << 16 | 0x7fc00000U);
  return widened(Half{static_cast<unsigned short>(sign | size << 7)}) * 0x1p8f;
}
__device__ __forceinline__ int widened(int value) {
  return value;
}
__device__ __forceinline__ int widened(signed char value) {
  return value;
}

// The nearest value of T to a result.
template <class T>
struct Rounded;

template <>
struct Rounded<float> {
  template <class Real>
  static __device__ __forceinline__ float of(Real value) {
    return static_cast<float>(value);
  }
};
template <>
struct Rounded<double> {
  static __device__ __forceinline__ double of(double value) { return value; }
};

// A float that every narrower type rounds as it rounds the value: where the value is no float, it
// is cut, and its last bit set. After: Boldo and Melquiond, Emulation of a FMA and correctly
// rounded sums: proved algorithms using rounding to odd, 2008.
__device__ __forceinline__ float rounded_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const double found = static_cast<double>(nearest);
  if (!(found < value) && !(found > value)) return nearest;
  const bool is_beyond = (found > value) == (value > 0.0);
  return __uint_as_float((__float_as_uint(nearest) - (is_beyond ? 1U : 0U)) | 1U);
}

template <>
struct Rounded<Half> {
  static __device__ __forceinline__ Half of(float value) {
    if constexpr (TARGET_ARCHITECTURE > 0) {
      Half half = {};
      ON_GPU(asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(value)));
      return half;
    }
    const unsigned bits = __float_as_uint(value);
    unsigned size = bits & 0x7fffffffU;
    if (size > 0x7f800000U)
      size = 0x7fffU;  // NaN
    else if (size >= 0x477ff000U)
      size = 0x7c00U;             // half a step beyond the greatest value, or more
    else if (size < 0x38800000U)  // steps of 2^-24; the sum of a float and 2^23 has no others
      size = __float_as_uint(__uint_as_float(size) * 0x1p24f + 0x1p23f) - 0x4b000000U;
    else
      size = (size - 0x38000000U + 0xfffU + (size >> 13 & 1U)) >> 13;
    return {static_cast<unsigned short>((bits >> 16 & 0x8000U) | size)};
  }
  static __device__ __forceinline__ Half of(double value) { return of(rounded_to_odd(value)); }
};

template <>
struct Rounded<BFloat16> {
  static __device__ __forceinline__ BFloat16 of(float value) {
    if constexpr (TARGET_ARCHITECTURE >= 800) {
      BFloat16 rounded = {};
      ON_GPU(asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded.bits) : "f"(value)));
      return rounded;
    }
    const unsigned bits = __float_as_uint(value);
    const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
    return {
        static_cast<unsigned short>(is_nan ? 0x7fffU : (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16)};
  }
  static __device__ __forceinline__ BFloat16 of(double value) { return of(rounded_to_odd(value)); }
};

// The bits of a float in 8 bits, of which kMantissa are the mantissa and kBias the exponent of 1.
template <int kBias, int kMantissa, unsigned kGreatest, unsigned kNan>
__device__ __forceinline__ unsigned char bits_in_8(float value) {
  constexpr unsigned kCut = 23 - kMantissa;
  constexpr unsigned kBiases = 127 - kBias;  // between the exponents of both
  const unsigned bits = __float_as_uint(value);
  unsigned size = bits & 0x7fffffffU;
  if (size > 0x7f800000U) {
    size = kNan;
  } else {
    if (size < (kBiases + 1) << 23)  // steps of the least value, as in Rounded<Half>
      size = __float_as_uint(__uint_as_float(size) + __uint_as_float((kBiases + 1 + kCut) << 23)) -
             ((kBiases + 1 + kCut) << 23);
    else
      size = (size - (kBiases << 23) + (1U << (kCut - 1)) - 1 + (size >> kCut & 1U)) >> kCut;
    if (size > kGreatest) size = kGreatest;
  }
  return static_cast<unsigned char>((bits >> 24 & 0x80U) | size);
}

template <>
struct Rounded<Float8E4M3> {
  static __device__ __forceinline__ Float8E4M3 of(float value) {
    if constexpr (TARGET_ARCHITECTURE < 890) return {bits_in_8<7, 3, 0x7eU, 0x7fU>(value)};
    unsigned short pair = 0;
    ON_GPU(asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value)));
    return {static_cast<unsigned char>(pair)};
  }
  static __device__ __forceinline__ Float8E4M3 of(double value) {
    return of(rounded_to_odd(value));
  }
};

template <>
struct Rounded<Float8E5M2> {
  static __device__ __forceinline__ Float8E5M2 of(float value) {
    if constexpr (TARGET_ARCHITECTURE < 890) return {bits_in_8<15, 2, 0x7bU, 0x7eU>(value)};
    unsigned short pair = 0;
    ON_GPU(asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value)));
    return {static_cast<unsigned char>(pair)};
  }
  static __device__ __forceinline__ Float8E5M2 of(double value) {
    return of(rounded_to_odd(value));
  }
};

// The nearest of the integers from `least` to `greatest`; `least` for what is no number.
template <class Real>
__device__ __forceinline__ int nearest_integer(Real value, int least, int greatest) {
  const Real whole = static_cast<Real>(rint(value));
  if (!(whole > static_cast<Real>(least))) return least;
  return whole < static_cast<Real>(greatest) ? static_cast<int>(whole) : greatest;
}
__device__ __forceinline__ int nearest_integer(int value, int least, int greatest) {
  return value < least ? least : value > greatest ? greatest : value;
}

template <>
struct Rounded<int> {
  template <class Real>
  static __device__ __forceinline__ int of(Real value) {
    return nearest_integer(value, -2147483647 - 1, 2147483647);
  }
};
template <>
struct Rounded<signed char> {
  template <class Real>
  static __device__ __forceinline__ signed char of(Real value) {
    return static_cast<signed char>(nearest_integer(value, -128, 127));
  }
};

// Two results in one word, the first in its lower half, for types of 16 bits: one instruction.
template <class T>
__device__ __forceinline__ unsigned rounded_pair(float first, float second) {
  if constexpr (TARGET_ARCHITECTURE < 800)
    return Rounded<T>::of(first).bits | static_cast<unsigned>(Rounded<T>::of(second).bits) << 16;
  unsigned pair = 0;
  if constexpr (kSameType<T, Half>)
    ON_GPU(asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first)));
  else
    ON_GPU(asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first)));
  return pair;
}

// The value as a T: exact, or rounded once.
template <class T, class From>
__device__ __forceinline__ T to(From value) {
  return Rounded<T>::of(widened(value));
}
