// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Numbers as memory holds them, and their way to and from those that are computed with. A kernel
// computes with float or double. What is stored in 16 bits becomes a float, exactly, and a result
// is rounded once, to the nearest value, of two that are equally near the even one.

// The names of CUDA's headers that a macro such as TYPE may stand for. The headers themselves are
// not needed, because the types below take their places.
struct __half;
struct __nv_bfloat16;

struct Half {
  unsigned short bits;
};
struct BFloat16 {
  unsigned short bits;
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

// What it is computed with: double for double, else float.
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
#if defined(__CUDA_ARCH__)
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
  return wide;
#else
  const unsigned sign = (value.bits & 0x8000U) << 16;
  const unsigned size = value.bits & 0x7fffU;
  if (size >= 0x7c00U) return __uint_as_float(sign | 0x7f800000U | (size & 0x3ffU) << 13);
  if (size >= 0x400U) return __uint_as_float(sign | ((size << 13) + 0x38000000U));
  return __uint_as_float(sign | __float_as_uint(static_cast<float>(size) * 0x1p-24f));
#endif
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
    Half half;
#if defined(__CUDA_ARCH__)
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(value));
#else
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
    half.bits = static_cast<unsigned short>((bits >> 16 & 0x8000U) | size);
#endif
    return half;
  }
  static __device__ __forceinline__ Half of(double value) {
    return of(rounded_to_odd(value));
  }
};

template <>
struct Rounded<BFloat16> {
  static __device__ __forceinline__ BFloat16 of(float value) {
    BFloat16 rounded;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded.bits) : "f"(value));
#else
    const unsigned bits = __float_as_uint(value);
    const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
    rounded.bits =
        static_cast<unsigned short>(is_nan ? 0x7fffU : (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
#endif
    return rounded;
  }
  static __device__ __forceinline__ BFloat16 of(double value) {
    return of(rounded_to_odd(value));
  }
};

// The value as a T: exact, or rounded once.
template <class T, class From>
__device__ __forceinline__ T to(From value) {
  return Rounded<T>::of(widened(value));
}
